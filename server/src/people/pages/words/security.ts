import type { Language } from '../../../platform/base/language.ts'

/** Texts of the page Security. */
export interface SecurityWords {
  passkeysTitle: string
  noneYet: string
  added: (time: string) => string
  lastUsed: (time: string) => string
  neverUsed: string
  remove: (name: string) => string
  removeShort: string
  addPasskey: string
  lastPasskey: string
  recoveryTitle: string
  recoveryLeft: (count: number) => string
  renewCodes: string
  sessionsTitle: string
  thisSession: string
  since: (time: string) => string
  end: (browser: string) => string
  endShort: string
  endOthers: string
  activityTitle: string
  changePassword: string
  passwordEnds: string
}

const uk: SecurityWords = {
  passkeysTitle: 'Ключі доступу',
  noneYet: 'Ще немає.',
  added: (time) => `Додано ${time}`,
  lastUsed: (time) => `востаннє використано ${time}`,
  neverUsed: 'ще не використано',
  remove: (name) => `Видалити ${name}`,
  removeShort: 'Видалити',
  addPasskey: 'Додати ключ доступу',
  lastPasskey: 'Це ваш єдиний спосіб входу. Спочатку додайте інший.',
  recoveryTitle: 'Резервні коди',
  recoveryLeft: (count) => `Невикористаних кодів: ${count}.`,
  renewCodes: 'Замінити коди',
  sessionsTitle: 'Сеанси',
  thisSession: 'цей сеанс',
  since: (time) => `З ${time}`,
  end: (browser) => `Завершити сеанс ${browser}`,
  endShort: 'Завершити',
  endOthers: 'Завершити всі інші сеанси',
  activityTitle: 'Ваші дії',
  changePassword: 'Змінити пароль',
  passwordEnds: 'З новим паролем усі інші ваші сеанси завершаться, і ви отримаєте нові резервні коди.',
}

const kk: SecurityWords = {
  passkeysTitle: 'Кіру кілттері',
  noneYet: 'Әзірге жоқ.',
  added: (time) => `Қосылды: ${time}`,
  lastUsed: (time) => `соңғы рет қолданылды: ${time}`,
  neverUsed: 'әлі қолданылмаған',
  remove: (name) => `${name} жою`,
  removeShort: 'Жою',
  addPasskey: 'Кіру кілтін қосу',
  lastPasskey: 'Бұл кірудің жалғыз тәсілі. Алдымен басқасын қосыңыз.',
  recoveryTitle: 'Қалпына келтіру кодтары',
  recoveryLeft: (count) => `Қолданылмаған кодтар: ${count}.`,
  renewCodes: 'Кодтарды ауыстыру',
  sessionsTitle: 'Сеанстар',
  thisSession: 'осы сеанс',
  since: (time) => `Басталуы: ${time}`,
  end: (browser) => `${browser} сеансын аяқтау`,
  endShort: 'Аяқтау',
  endOthers: 'Басқа барлық сеанстарды аяқтау',
  activityTitle: 'Сіздің әрекеттеріңіз',
  changePassword: 'Құпиясөзді өзгерту',
  passwordEnds: 'Жаңа құпиясөзбен барлық басқа сеанстарыңыз аяқталады, әрі жаңа қалпына келтіру кодтарын аласыз.',
}

const ru: SecurityWords = {
  passkeysTitle: 'Ключи доступа',
  noneYet: 'Пока нет.',
  added: (time) => `Добавлен ${time}`,
  lastUsed: (time) => `последний раз использован ${time}`,
  neverUsed: 'ещё не использован',
  remove: (name) => `Удалить ${name}`,
  removeShort: 'Удалить',
  addPasskey: 'Добавить ключ доступа',
  lastPasskey: 'Это ваш единственный способ входа. Сначала добавьте другой.',
  recoveryTitle: 'Резервные коды',
  recoveryLeft: (count) => `Неиспользованных кодов: ${count}.`,
  renewCodes: 'Заменить коды',
  sessionsTitle: 'Сеансы',
  thisSession: 'этот сеанс',
  since: (time) => `С ${time}`,
  end: (browser) => `Завершить сеанс ${browser}`,
  endShort: 'Завершить',
  endOthers: 'Завершить все другие сеансы',
  activityTitle: 'Ваши действия',
  changePassword: 'Изменить пароль',
  passwordEnds: 'С новым паролем все другие ваши сеансы завершатся, и вы получите новые резервные коды.',
}

const en: SecurityWords = {
  passkeysTitle: 'Passkeys',
  noneYet: 'None yet.',
  added: (time) => `Added ${time}`,
  lastUsed: (time) => `last used ${time}`,
  neverUsed: 'not used yet',
  remove: (name) => `Remove ${name}`,
  removeShort: 'Remove',
  addPasskey: 'Add a passkey',
  lastPasskey: 'This is your only way to sign in. Add another one first.',
  recoveryTitle: 'Recovery codes',
  recoveryLeft: (count) => `Unused codes: ${count}.`,
  renewCodes: 'Replace the codes',
  sessionsTitle: 'Sessions',
  thisSession: 'this session',
  since: (time) => `Since ${time}`,
  end: (browser) => `End the session of ${browser}`,
  endShort: 'End',
  endOthers: 'End all other sessions',
  activityTitle: 'Your activity',
  changePassword: 'Change the password',
  passwordEnds: 'With a new password, all your other sessions end, and you get new recovery codes.',
}

export const SECURITY_WORDS: Readonly<Record<Language, SecurityWords>> = { uk, kk, ru, en }
