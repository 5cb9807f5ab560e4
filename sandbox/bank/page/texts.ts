/** The texts of the page, in the payer's language. */
import type { Language } from '../rows.ts'

export interface Texts {
  readonly pay: string
  readonly card: string
  readonly expiry: string
  readonly expiryForm: string
  readonly cvc: string
  readonly holder: string
  readonly badCard: string
  readonly badExpiry: string
  readonly badCvc: string
  readonly secureTitle: string
  readonly secureText: string
  readonly code: string
  readonly confirm: string
  readonly cancel: string
  readonly wrongCode: string
  readonly succeeded: string
  readonly processing: string
  readonly refused: string
  readonly expired: string
  readonly reversed: string
  readonly back: string
  readonly notFound: string
  readonly testCards: string
  readonly sandbox: string
}

export const texts: Readonly<Record<Language, Texts>> = {
  en: {
    pay: 'Pay',
    card: 'Card number',
    expiry: 'Valid until',
    expiryForm: 'MM/YY',
    cvc: 'Security code',
    holder: 'Name on the card',
    badCard: 'Check the number: a digit is wrong or missing.',
    badExpiry: 'Write month and year, such as 09/29. The card must still be valid.',
    badCvc: 'Three digits on the back of the card.',
    secureTitle: 'Confirm the payment',
    secureText: 'The bank of your card asks whether it is you who pays.',
    code: 'Code',
    confirm: 'Confirm',
    cancel: 'Cancel the payment',
    wrongCode: 'The code is not right.',
    succeeded: 'Paid',
    processing: 'Being processed',
    refused: 'The card was refused',
    expired: 'The time to pay is over',
    reversed: 'Given back',
    back: 'Back to the shop',
    notFound: 'There is no such payment',
    testCards: 'Test cards',
    sandbox: 'This is a sandbox: no money moves.',
  },
  uk: {
    pay: 'Сплатити',
    card: 'Номер картки',
    expiry: 'Дійсна до',
    expiryForm: 'ММ/РР',
    cvc: 'Код безпеки',
    holder: 'Ім’я на картці',
    badCard: 'Перевірте номер: цифра хибна або бракує цифри.',
    badExpiry: 'Вкажіть місяць і рік, наприклад 09/29. Картка має бути чинною.',
    badCvc: 'Три цифри на звороті картки.',
    secureTitle: 'Підтвердьте платіж',
    secureText: 'Банк, що видав вашу картку, перевіряє, що платите саме ви.',
    code: 'Код',
    confirm: 'Підтвердити',
    cancel: 'Скасувати платіж',
    wrongCode: 'Код невірний.',
    succeeded: 'Сплачено',
    processing: 'Обробляється',
    refused: 'Картку відхилено',
    expired: 'Час на оплату минув',
    reversed: 'Повернено',
    back: 'Повернутися до магазину',
    notFound: 'Такого платежу немає',
    testCards: 'Тестові картки',
    sandbox: 'Це пісочниця: гроші не рухаються.',
  },
  kk: {
    pay: 'Төлеу',
    card: 'Карта нөмірі',
    expiry: 'Жарамды мерзімі',
    expiryForm: 'АА/ЖЖ',
    cvc: 'Қауіпсіздік коды',
    holder: 'Картадағы есім',
    badCard: 'Нөмірді тексеріңіз: бір цифры қате немесе жетіспейді.',
    badExpiry: 'Ай мен жылды жазыңыз, мысалы 09/29. Карта жарамды болуы керек.',
    badCvc: 'Картаның артындағы үш цифр.',
    secureTitle: 'Төлемді растаңыз',
    secureText: 'Картаңыздың банкі төлеп жатқан сіз екеніңізді тексереді.',
    code: 'Код',
    confirm: 'Растау',
    cancel: 'Төлемнен бас тарту',
    wrongCode: 'Код қате.',
    succeeded: 'Төленді',
    processing: 'Өңделуде',
    refused: 'Карта қабылданбады',
    expired: 'Төлеу уақыты өтті',
    reversed: 'Қайтарылды',
    back: 'Дүкенге оралу',
    notFound: 'Мұндай төлем жоқ',
    testCards: 'Сынақ карталары',
    sandbox: 'Бұл құмсалғыш: ақша қозғалмайды.',
  },
  ru: {
    pay: 'Оплатить',
    card: 'Номер карты',
    expiry: 'Действует до',
    expiryForm: 'ММ/ГГ',
    cvc: 'Код безопасности',
    holder: 'Имя на карте',
    badCard: 'Проверьте номер: цифра неверна или её не хватает.',
    badExpiry: 'Укажите месяц и год, например 09/29. Карта должна быть действительной.',
    badCvc: 'Три цифры на обороте карты.',
    secureTitle: 'Подтвердите платёж',
    secureText: 'Банк, выпустивший вашу карту, проверяет, что платите именно вы.',
    code: 'Код',
    confirm: 'Подтвердить',
    cancel: 'Отменить платёж',
    wrongCode: 'Код неверный.',
    succeeded: 'Оплачено',
    processing: 'Обрабатывается',
    refused: 'Карта отклонена',
    expired: 'Время на оплату истекло',
    reversed: 'Возвращено',
    back: 'Вернуться в магазин',
    notFound: 'Такого платежа нет',
    testCards: 'Тестовые карты',
    sandbox: 'Это песочница: деньги не движутся.',
  },
}
