import type { Scope } from '@bursar/contract'
import type { Language } from '../../../platform/base/language.ts'
import type { KeyTrouble } from '../../access/index.ts'

/** The texts of the page Keys. */
export interface KeyWords {
  createTitle: string
  createText: string
  name: string
  nameHint: string
  scopes: string
  does: Record<Scope, string>
  /** to a member who may not give the scopes that move money */
  moneyScopes: string
  addresses: string
  addressesHint: string
  ends: string
  days: (count: string) => string
  never: string
  create: string
  secretTitle: string
  secretText: string
  secret: string
  stored: string
  additional: string
  ended: (time: string) => string
  revoked: (time: string) => string
  everywhere: string
  from: (addresses: string) => string
  made: (time: string) => string
  madeBy: (time: string, who: string) => string
  used: (time: string, from: string) => string
  revoke: string
  revokeOf: (name: string) => string
  revokeText: string
  main: string
  mainText: string
  troubles: Record<KeyTrouble, string>
}

const en: KeyWords = {
  createTitle: 'Make an additional key',
  createText: 'Give each program a key of its own, with only the rights that it needs.',
  name: 'Name',
  nameHint: 'To recognise it later, such as “accounting”.',
  scopes: 'Rights',
  does: {
    read: 'look up and list everything, balances included',
    invoices: 'create and close invoices, create and disable payment links, create deposit addresses',
    payouts: 'send money to addresses and cards',
    exchange: 'exchange balances',
  },
  moneyScopes: 'Keys that move money are made by an owner.',
  addresses: 'Allowed addresses',
  addressesHint: 'IP addresses or ranges, such as 192.0.2.7 or 2001:db8::/32. Empty: every address.',
  ends: 'Valid for',
  days: (count) => `${count} days`,
  never: 'no end',
  create: 'Make the key',
  secretTitle: 'Store the secret of the key',
  secretText: 'The secret is shown now and never again. Requests with this key name it in the header key-id.',
  secret: 'Secret',
  stored: 'I have stored it',
  additional: 'Additional keys',
  ended: (time) => `ended ${time}`,
  revoked: (time) => `revoked ${time}`,
  everywhere: 'From every address',
  from: (addresses) => `Only from ${addresses}`,
  made: (time) => `Made ${time}`,
  madeBy: (time, who) => `Made ${time} by ${who}`,
  used: (time, from) => `Last used ${time} from ${from}`,
  revoke: 'Revoke',
  revokeOf: (name) => `Revoke ${name}`,
  revokeText: 'Every request with this key is refused from now on. This can not be undone.',
  main: 'Main key',
  mainText: 'It signs requests without key-id, and all notifications. The operator replaces it.',
  troubles: {
    name: 'Enter a name of 1 to 60 characters.',
    scopes: 'Choose at least one right.',
    addresses:
      'An address or a range is not valid, or there are more than 20. Write them like 192.0.2.7 or 192.0.2.0/24.',
    known: 'This key was made already. If you have not stored its secret, revoke it and make another one.',
    'too-many': 'The merchant has 20 valid additional keys. Revoke one first.',
    limited: 'Too many keys were made. Try again in an hour.',
    unknown: 'There is no such valid key any more.',
  },
}

const uk: KeyWords = {
  createTitle: 'Створити додатковий ключ',
  createText: 'Дайте кожній програмі власний ключ лише з потрібними їй правами.',
  name: 'Назва',
  nameHint: 'Щоб упізнати його пізніше, наприклад «бухгалтерія».',
  scopes: 'Права',
  does: {
    read: 'переглядати все, зокрема баланси',
    invoices:
      'створювати й закривати рахунки, створювати й вимикати платіжні посилання, створювати адреси для депозитів',
    payouts: 'надсилати кошти на адреси й картки',
    exchange: 'обмінювати баланси',
  },
  moneyScopes: 'Ключі з правом надсилати або обмінювати кошти створює власник.',
  addresses: 'Дозволені адреси',
  addressesHint: 'IP-адреси або діапазони, наприклад 192.0.2.7 чи 2001:db8::/32. Порожньо: будь-яка адреса.',
  ends: 'Строк дії',
  days: (count) => `${count} днів`,
  never: 'без строку',
  create: 'Створити ключ',
  secretTitle: 'Збережіть секрет ключа',
  secretText: 'Секрет показано лише зараз. Запити із цим ключем називають його в заголовку key-id.',
  secret: 'Секрет',
  stored: 'Я зберіг секрет',
  additional: 'Додаткові ключі',
  ended: (time) => `закінчився ${time}`,
  revoked: (time) => `відкликано ${time}`,
  everywhere: 'З будь-якої адреси',
  from: (addresses) => `Лише з ${addresses}`,
  made: (time) => `Створено ${time}`,
  madeBy: (time, who) => `Створено ${time}, хто: ${who}`,
  used: (time, from) => `Востаннє використано ${time} з ${from}`,
  revoke: 'Відкликати',
  revokeOf: (name) => `Відкликати ${name}`,
  revokeText: 'Відтепер кожен запит із цим ключем буде відхилено. Це неможливо скасувати.',
  main: 'Основний ключ',
  mainText: 'Ним підписано запити без key-id і всі сповіщення. Його замінює оператор.',
  troubles: {
    name: 'Введіть назву від 1 до 60 символів.',
    scopes: 'Виберіть принаймні одне право.',
    addresses: 'Адреса або діапазон недійсні, чи їх більше ніж 20. Пишіть так: 192.0.2.7 або 192.0.2.0/24.',
    known: 'Цей ключ уже створено. Якщо ви не зберегли секрет, відкличте ключ і створіть інший.',
    'too-many': 'Продавець має 20 чинних додаткових ключів. Спершу відкличте один із них.',
    limited: 'Створено забагато ключів. Спробуйте за годину.',
    unknown: 'Такого чинного ключа вже немає.',
  },
}

const kk: KeyWords = {
  createTitle: 'Қосымша кілт жасау',
  createText: 'Әр бағдарламаға тек қажет құқықтары бар жеке кілт беріңіз.',
  name: 'Атауы',
  nameHint: 'Кейін тану үшін, мысалы «бухгалтерия».',
  scopes: 'Құқықтар',
  does: {
    read: 'барлығын, соның ішінде баланстарды қарау',
    invoices: 'шоттарды жасау және жабу, төлем сілтемелерін жасау және өшіру, депозит мекенжайларын жасау',
    payouts: 'мекенжайлар мен карталарға ақша жіберу',
    exchange: 'баланстарды айырбастау',
  },
  moneyScopes: 'Ақша жіберуге немесе айырбастауға құқық беретін кілттерді иесі жасайды.',
  addresses: 'Рұқсат етілген мекенжайлар',
  addressesHint: 'IP мекенжайлары немесе ауқымдары, мысалы 192.0.2.7 не 2001:db8::/32. Бос болса: кез келген мекенжай.',
  ends: 'Жарамдылық мерзімі',
  days: (count) => `${count} күн`,
  never: 'мерзімсіз',
  create: 'Кілт жасау',
  secretTitle: 'Кілттің құпиясын сақтаңыз',
  secretText: 'Құпия тек қазір көрсетіледі. Осы кілтпен жасалған сұрау оны key-id тақырыбында атайды.',
  secret: 'Құпия',
  stored: 'Сақтап қойдым',
  additional: 'Қосымша кілттер',
  ended: (time) => `мерзімі бітті: ${time}`,
  revoked: (time) => `қайтарып алынды: ${time}`,
  everywhere: 'Кез келген мекенжайдан',
  from: (addresses) => `Тек мына мекенжайлардан: ${addresses}`,
  made: (time) => `Жасалды: ${time}`,
  madeBy: (time, who) => `Жасалды: ${time}, кім: ${who}`,
  used: (time, from) => `Соңғы рет қолданылды: ${time}, мекенжай: ${from}`,
  revoke: 'Қайтарып алу',
  revokeOf: (name) => `Қайтарып алу: ${name}`,
  revokeText: 'Енді осы кілтпен жасалған әр сұрау қабылданбайды. Мұны қайтаруға болмайды.',
  main: 'Негізгі кілт',
  mainText: 'Ол key-id жоқ сұрауларға және барлық хабарламаларға қол қояды. Оны оператор ауыстырады.',
  troubles: {
    name: '1-ден 60 таңбаға дейінгі атау енгізіңіз.',
    scopes: 'Кемінде бір құқықты таңдаңыз.',
    addresses: 'Мекенжай не ауқым жарамсыз немесе олар 20-дан көп. Былай жазыңыз: 192.0.2.7 немесе 192.0.2.0/24.',
    known: 'Бұл кілт жасалып қойған. Құпиясын сақтамаған болсаңыз, кілтті қайтарып алып, басқасын жасаңыз.',
    'too-many': 'Сатушының 20 жарамды қосымша кілті бар. Алдымен біреуін қайтарып алыңыз.',
    limited: 'Тым көп кілт жасалды. Бір сағаттан кейін қайталаңыз.',
    unknown: 'Мұндай жарамды кілт енді жоқ.',
  },
}

const ru: KeyWords = {
  createTitle: 'Создать дополнительный ключ',
  createText: 'Дайте каждой программе собственный ключ только с нужными ей правами.',
  name: 'Название',
  nameHint: 'Чтобы узнать его позже, например «бухгалтерия».',
  scopes: 'Права',
  does: {
    read: 'просматривать всё, включая балансы',
    invoices: 'создавать и закрывать счета, создавать и отключать платёжные ссылки, создавать адреса для депозитов',
    payouts: 'отправлять деньги на адреса и карты',
    exchange: 'обменивать балансы',
  },
  moneyScopes: 'Ключи с правом отправлять или обменивать деньги создаёт владелец.',
  addresses: 'Разрешённые адреса',
  addressesHint: 'IP-адреса или диапазоны, например 192.0.2.7 или 2001:db8::/32. Пусто: любой адрес.',
  ends: 'Срок действия',
  days: (count) => `${count} дней`,
  never: 'без срока',
  create: 'Создать ключ',
  secretTitle: 'Сохраните секрет ключа',
  secretText: 'Секрет показан только сейчас. Запросы с этим ключом называют его в заголовке key-id.',
  secret: 'Секрет',
  stored: 'Секрет сохранён',
  additional: 'Дополнительные ключи',
  ended: (time) => `закончился ${time}`,
  revoked: (time) => `отозван ${time}`,
  everywhere: 'С любого адреса',
  from: (addresses) => `Только с ${addresses}`,
  made: (time) => `Создан ${time}`,
  madeBy: (time, who) => `Создан ${time}, кем: ${who}`,
  used: (time, from) => `Последнее использование: ${time} с ${from}`,
  revoke: 'Отозвать',
  revokeOf: (name) => `Отозвать ${name}`,
  revokeText: 'С этого момента каждый запрос с этим ключом отклоняется. Это нельзя отменить.',
  main: 'Основной ключ',
  mainText: 'Им подписаны запросы без key-id и все уведомления. Его заменяет оператор.',
  troubles: {
    name: 'Введите название от 1 до 60 символов.',
    scopes: 'Выберите хотя бы одно право.',
    addresses: 'Адрес или диапазон неверен, или их больше 20. Пишите так: 192.0.2.7 или 192.0.2.0/24.',
    known: 'Этот ключ уже создан. Если вы не сохранили секрет, отзовите ключ и создайте другой.',
    'too-many': 'У продавца 20 действующих дополнительных ключей. Сначала отзовите один из них.',
    limited: 'Создано слишком много ключей. Попробуйте через час.',
    unknown: 'Такого действующего ключа больше нет.',
  },
}

export const KEY_WORDS: Readonly<Record<Language, KeyWords>> = { en, uk, kk, ru }
