import type { Language } from '../../../platform/base/language.ts'
import type { EndpointTrouble } from '../../../people/access/index.ts'

/** The texts of the pages about additional endpoints. */
export interface EndpointWords {
  title: string
  intro: string
  first: string
  firstText: string
  none: string
  add: string
  addText: string
  description: string
  descriptionHint: string
  kinds: string
  all: string
  state: string
  on: string
  off: string
  isOn: string
  offText: string
  create: string
  endpoint: string
  change: string
  save: string
  saved: string
  secret: string
  secretTitle: string
  secretText: string
  stored: string
  replace: string
  replaceText: string
  before: (until: string) => string
  remove: string
  removeText: string
  removed: string
  attempts: string
  noAttempts: string
  sendText: string
  unsent: string
  back: string
  troubles: Record<EndpointTrouble, string>
}

const en: EndpointWords = {
  title: 'Additional endpoints',
  intro:
    'Each gets the notifications of the types that you choose, made after it was added, and signs them with its own secret. One that fails delays no other. There are at most ten endpoints, the first included.',
  first: 'First endpoint',
  firstText: 'It gets every notification.',
  none: 'No additional endpoints yet',
  add: 'Add an endpoint',
  addText: 'It is on https, has a public address, and has no password. The owners of the merchant are mailed.',
  description: 'Description',
  descriptionHint: 'To recognise it later, such as: accounts.',
  kinds: 'Types of notifications',
  all: 'All, also types of later versions',
  state: 'State',
  on: 'On',
  off: 'Off',
  isOn: 'Send notifications to it',
  offText: 'While it is off, its notifications wait. They are sent when it is on again.',
  create: 'Add',
  endpoint: 'Endpoint',
  change: 'Change',
  save: 'Save',
  saved: 'The change is saved. It takes effect with the next attempt.',
  secret: 'Secret',
  secretTitle: 'Secret of the endpoint',
  secretText: 'It signs the header webhook-signature of each notification. Copy it now: it is not shown again.',
  stored: 'I have stored it',
  replace: 'Replace the secret',
  replaceText: 'For 24 hours notifications have signatures with both secrets, the new and the present one.',
  before: (until) => `The secret before is valid until ${until}.`,
  remove: 'Remove the endpoint',
  removeText: 'Nothing is sent to it any more, and what waits for it is deleted.',
  removed: 'The endpoint is removed.',
  attempts: 'Attempts',
  noAttempts: 'Nothing was sent to it yet, or the attempts are older than 90 days.',
  sendText: 'The notification is sent to this endpoint only, whatever types it gets.',
  unsent: 'Not sent to it',
  back: 'All endpoints',
  troubles: {
    url: 'This is no URL of an endpoint: write an address such as https://shop.example/hooks, without a user name, password or #.',
    description: 'The description has at most 100 characters.',
    kinds: 'Choose at least one type, or all.',
    known: 'This form has done its work already. If you do not have the secret, replace it.',
    'too-many': 'There are ten endpoints already. Remove one first.',
    limited: 'Too many endpoints were added within an hour. Try again later.',
    changed: 'The endpoint was changed meanwhile. Compare it with yours, and save again.',
    unchanged: 'Nothing is different.',
    unknown: 'There is no such endpoint any more.',
  },
}

const uk: EndpointWords = {
  title: 'Додаткові адреси',
  intro:
    'Кожна отримує сповіщення обраних вами типів, створені після її додавання, і має власний секрет для підпису. Якщо одна не працює, інші не чекають. Разом із першою їх може бути не більше десяти.',
  first: 'Перша адреса',
  firstText: 'Вона отримує кожне сповіщення.',
  none: 'Додаткових адрес ще немає',
  add: 'Додати адресу',
  addText: 'Вона має бути на https, із публічною адресою та без пароля. Власники продавця отримають лист.',
  description: 'Опис',
  descriptionHint: 'Щоб упізнати її згодом, наприклад: бухгалтерія.',
  kinds: 'Типи сповіщень',
  all: 'Усі, зокрема типи наступних версій',
  state: 'Стан',
  on: 'Увімкнено',
  off: 'Вимкнено',
  isOn: 'Надсилати на неї сповіщення',
  offText: 'Поки її вимкнено, її сповіщення чекають. Їх буде надіслано, коли її знову ввімкнуть.',
  create: 'Додати',
  endpoint: 'Адреса',
  change: 'Змінити',
  save: 'Зберегти',
  saved: 'Зміну збережено. Вона діє з наступної спроби.',
  secret: 'Секрет',
  secretTitle: 'Секрет адреси',
  secretText:
    'Ним підписано заголовок webhook-signature кожного сповіщення. Скопіюйте його зараз: більше його не буде показано.',
  stored: 'Секрет збережено',
  replace: 'Замінити секрет',
  replaceText: 'Упродовж 24 годин сповіщення матимуть підписи обома секретами, новим і нинішнім.',
  before: (until) => `Попередній секрет дійсний до ${until}.`,
  remove: 'Видалити адресу',
  removeText: 'На неї більше нічого не надсилатиметься, а все, що на неї чекає, буде видалено.',
  removed: 'Адресу видалено.',
  attempts: 'Спроби',
  noAttempts: 'На неї ще нічого не надсилали, або спроби старші за 90 днів.',
  sendText: 'Сповіщення буде надіслано лише на цю адресу, незалежно від обраних для неї типів.',
  unsent: 'Не надсилалося на неї',
  back: 'Усі адреси',
  troubles: {
    url: 'Це не адреса для сповіщень: напишіть, наприклад, https://shop.example/hooks, без імені користувача, пароля та #.',
    description: 'Опис має щонайбільше 100 символів.',
    kinds: 'Оберіть принаймні один тип або всі.',
    known: 'Цю форму вже виконано. Якщо у вас немає секрету, замініть його.',
    'too-many': 'Адрес уже десять. Спершу видаліть одну.',
    limited: 'За годину додано забагато адрес. Спробуйте пізніше.',
    changed: 'Адресу тим часом змінено. Порівняйте її зі своєю й збережіть ще раз.',
    unchanged: 'Нічого не змінено.',
    unknown: 'Такої адреси вже немає.',
  },
}

const kk: EndpointWords = {
  title: 'Қосымша мекенжайлар',
  intro:
    'Әрқайсысы өзі қосылғаннан кейін жасалған, сіз таңдаған түрлердегі хабарламаларды алады және олар оның жеке құпия кілтімен қол қойылады. Біреуі істемесе, басқалары күтпейді. Біріншісімен қоса ең көбі он мекенжай болады.',
  first: 'Бірінші мекенжай',
  firstText: 'Ол барлық хабарламаны алады.',
  none: 'Қосымша мекенжай әзірге жоқ',
  add: 'Мекенжай қосу',
  addText:
    'Ол https арқылы жұмыс істейді, жалпыға қолжетімді және құпиясөзсіз болады. Сатушының иелеріне хат жіберіледі.',
  description: 'Сипаттама',
  descriptionHint: 'Кейін тану үшін, мысалы: бухгалтерия.',
  kinds: 'Хабарлама түрлері',
  all: 'Барлығы, кейінгі нұсқалардың түрлері де',
  state: 'Күйі',
  on: 'Қосулы',
  off: 'Өшірулі',
  isOn: 'Оған хабарламалар жіберу',
  offText: 'Өшірулі кезде оның хабарламалары күтеді. Қайта қосылғанда жіберіледі.',
  create: 'Қосу',
  endpoint: 'Мекенжай',
  change: 'Өзгерту',
  save: 'Сақтау',
  saved: 'Өзгеріс сақталды. Ол келесі әрекеттен бастап күшіне енеді.',
  secret: 'Құпия кілт',
  secretTitle: 'Мекенжайдың құпия кілті',
  secretText:
    'Ол әр хабарламаның webhook-signature тақырыбына қол қояды. Қазір көшіріп алыңыз: ол қайта көрсетілмейді.',
  stored: 'Мен оны сақтадым',
  replace: 'Құпия кілтті ауыстыру',
  replaceText: '24 сағат бойы хабарламаларда жаңа және қазіргі екі кілттің де қолтаңбасы болады.',
  before: (until) => `Алдыңғы құпия кілт ${until} дейін жарамды.`,
  remove: 'Мекенжайды жою',
  removeText: 'Оған бұдан былай ештеңе жіберілмейді, ал оны күтіп тұрғандар жойылады.',
  removed: 'Мекенжай жойылды.',
  attempts: 'Әрекеттер',
  noAttempts: 'Оған әлі ештеңе жіберілген жоқ немесе әрекеттер 90 күннен ескі.',
  sendText: 'Хабарлама таңдалған түрлеріне қарамастан тек осы мекенжайға жіберіледі.',
  unsent: 'Оған жіберілмеген',
  back: 'Барлық мекенжайлар',
  troubles: {
    url: 'Бұл хабарлама мекенжайы емес: https://shop.example/hooks сияқты мекенжайды пайдаланушы атынсыз, құпиясөзсіз және # белгісіз жазыңыз.',
    description: 'Сипаттамада ең көбі 100 таңба болады.',
    kinds: 'Кемінде бір түрді немесе барлығын таңдаңыз.',
    known: 'Бұл форма орындалып қойған. Құпия кілт сізде болмаса, оны ауыстырыңыз.',
    'too-many': 'Қазірдің өзінде он мекенжай бар. Алдымен біреуін жойыңыз.',
    limited: 'Бір сағатта тым көп мекенжай қосылды. Кейінірек қайталап көріңіз.',
    changed: 'Мекенжай осы арада өзгертілді. Өзіңіздікімен салыстырып, қайта сақтаңыз.',
    unchanged: 'Ештеңе өзгермеді.',
    unknown: 'Мұндай мекенжай енді жоқ.',
  },
}

const ru: EndpointWords = {
  title: 'Дополнительные адреса',
  intro:
    'Каждый получает уведомления выбранных вами типов, созданные после его добавления, и имеет собственный секрет для подписи. Если один не работает, другие не ждут. Вместе с первым их может быть не больше десяти.',
  first: 'Первый адрес',
  firstText: 'Он получает каждое уведомление.',
  none: 'Дополнительных адресов пока нет',
  add: 'Добавить адрес',
  addText: 'Он должен быть на https, с публичным адресом и без пароля. Владельцы продавца получат письмо.',
  description: 'Описание',
  descriptionHint: 'Чтобы узнать его позже, например: бухгалтерия.',
  kinds: 'Типы уведомлений',
  all: 'Все, в том числе типы следующих версий',
  state: 'Состояние',
  on: 'Включён',
  off: 'Выключен',
  isOn: 'Отправлять на него уведомления',
  offText: 'Пока он выключен, его уведомления ждут. Они будут отправлены, когда его снова включат.',
  create: 'Добавить',
  endpoint: 'Адрес',
  change: 'Изменить',
  save: 'Сохранить',
  saved: 'Изменение сохранено. Оно действует со следующей попытки.',
  secret: 'Секрет',
  secretTitle: 'Секрет адреса',
  secretText:
    'Им подписан заголовок webhook-signature каждого уведомления. Скопируйте его сейчас: больше он показан не будет.',
  stored: 'Секрет сохранён',
  replace: 'Заменить секрет',
  replaceText: 'В течение 24 часов у уведомлений будут подписи обоими секретами, новым и нынешним.',
  before: (until) => `Прежний секрет действителен до ${until}.`,
  remove: 'Удалить адрес',
  removeText: 'На него больше ничего не отправляется, а всё, что его ждёт, удаляется.',
  removed: 'Адрес удалён.',
  attempts: 'Попытки',
  noAttempts: 'На него ещё ничего не отправляли, или попытки старше 90 дней.',
  sendText: 'Уведомление будет отправлено только на этот адрес, независимо от выбранных для него типов.',
  unsent: 'На него не отправлялось',
  back: 'Все адреса',
  troubles: {
    url: 'Это не адрес для уведомлений: напишите, например, https://shop.example/hooks, без имени пользователя, пароля и #.',
    description: 'В описании не больше 100 символов.',
    kinds: 'Выберите хотя бы один тип или все.',
    known: 'Эта форма уже выполнена. Если у вас нет секрета, замените его.',
    'too-many': 'Адресов уже десять. Сначала удалите один.',
    limited: 'За час добавлено слишком много адресов. Попробуйте позже.',
    changed: 'Адрес тем временем изменили. Сравните его со своим и сохраните ещё раз.',
    unchanged: 'Ничего не изменилось.',
    unknown: 'Такого адреса больше нет.',
  },
}

export const ENDPOINT_WORDS: Readonly<Record<Language, EndpointWords>> = { en, uk, kk, ru }
