import type { Language } from '../../../platform/base/language.ts'

/** Texts of proving again who one is, and the results of forms. */
export interface ProvingWords {
  proveTitle: string
  proveText: string
  proveNeeded: string
  prove: string
  proved: string
  proveFirst: string
  done: string
  notDone: string
}

const uk: ProvingWords = {
  proveTitle: 'Підтвердьте, що це ви',
  proveText:
    'Після підтвердження впродовж п’яти хвилин можна змінювати налаштування безпеки, команду, виплати та інше важливе.',
  proveNeeded: 'Спочатку підтвердьте, що це ви. Введене збережено.',
  prove: 'Підтвердити',
  proved: 'Підтверджено. Продовжуйте з того самого місця.',
  proveFirst: 'Спочатку підтвердьте, що це ви.',
  done: 'Зроблено.',
  notDone: 'Не вийшло, нічого не змінено.',
}

const kk: ProvingWords = {
  proveTitle: 'Бұл сіз екеніңізді растаңыз',
  proveText:
    'Растағаннан кейін бес минут бойы қауіпсіздік баптауларын, команданы, төлемдерді және басқа маңызды нәрселерді өзгертуге болады.',
  proveNeeded: 'Алдымен бұл сіз екеніңізді растаңыз. Енгізгеніңіз сақталды.',
  prove: 'Растау',
  proved: 'Расталды. Тоқтаған жерден жалғастырыңыз.',
  proveFirst: 'Алдымен бұл сіз екеніңізді растаңыз.',
  done: 'Орындалды.',
  notDone: 'Болмады, ештеңе өзгерген жоқ.',
}

const ru: ProvingWords = {
  proveTitle: 'Подтвердите, что это вы',
  proveText:
    'После подтверждения в течение пяти минут можно менять настройки безопасности, команду, выплаты и другое важное.',
  proveNeeded: 'Сначала подтвердите, что это вы. Введённое сохранено.',
  prove: 'Подтвердить',
  proved: 'Подтверждено. Продолжайте с того же места.',
  proveFirst: 'Сначала подтвердите, что это вы.',
  done: 'Сделано.',
  notDone: 'Не получилось, ничего не изменено.',
}

const en: ProvingWords = {
  proveTitle: 'Confirm that it is you',
  proveText:
    'After you confirm, security settings, the team, payouts and other important matters can be changed for five minutes.',
  proveNeeded: 'First confirm that it is you. What you typed is kept.',
  prove: 'Confirm',
  proved: 'Confirmed. Go on where you were.',
  proveFirst: 'Confirm first that it is you.',
  done: 'Done.',
  notDone: 'That did not work, and nothing was changed.',
}

export const PROVING_WORDS: Readonly<Record<Language, ProvingWords>> = { uk, kk, ru, en }
