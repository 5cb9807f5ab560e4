import type { Language } from '../../../platform/base/language.ts'

/** Texts of payouts to cards. */
interface CardWords {
  /** a button, back to the first step */
  toAddress: string
  which: string
  whichText: string
  card: string
  cardHint: string
  keepCard: (card: string) => string
  currency: string
  badCard: string
  chooseCurrency: string
  changeCard: string
  badMeta: string
  isShort: string
  feeText: string
  title: string
  placing: string
  approveText: string
}

export const CARD_WORDS: Readonly<Record<Language, CardWords>> = {
  en: {
    toAddress: 'To an address',
    which: 'Which card, and in which currency?',
    whichText: 'Ask the receiver for the number on the front of the card.',
    card: 'Card number',
    cardHint:
      '13 to 19 digits. It is stored encrypted until the payout is made. Members see the first six and the last four digits.',
    keepCard: (card) => `Leave the field empty to keep the card ${card}.`,
    currency: 'Currency',
    badCard: 'This is no number of a payment card. Check its digits.',
    chooseCurrency: 'Choose a currency.',
    changeCard: 'Change the card or the currency',
    badMeta: 'The reference is too long, or it has the number of the card.',
    isShort: 'Your available balance is smaller than this total. If it still is after the approval, the payout fails.',
    feeText: 'The payout is not made at more than twice this fee.',
    title: 'Payout to a card',
    placing: 'Approved. The payout to the card is being made.',
    approveText: 'Compare the digits of the card and the amount with a source of your own.',
  },
  uk: {
    toAddress: 'На адресу',
    which: 'Яка картка і в якій валюті?',
    whichText: 'Запитайте в отримувача номер на лицьовому боці картки.',
    card: 'Номер картки',
    cardHint:
      'Від 13 до 19 цифр. Він зберігається зашифрованим, доки виплату не зроблено. Учасники бачать перші шість і останні чотири цифри.',
    keepCard: (card) => `Залиште поле порожнім, щоб залишити картку ${card}.`,
    currency: 'Валюта',
    badCard: 'Це не номер платіжної картки. Перевірте цифри.',
    chooseCurrency: 'Виберіть валюту.',
    changeCard: 'Змінити картку або валюту',
    badMeta: 'Примітка задовга або містить номер картки.',
    isShort: 'Доступний баланс менший за цю суму. Якщо він буде меншим і після схвалення, виплата не відбудеться.',
    feeText: 'Виплату не буде зроблено, якщо комісія більш ніж удвічі вища за цю.',
    title: 'Виплата на картку',
    placing: 'Схвалено. Виплата на картку виконується.',
    approveText: 'Порівняйте цифри картки й суму з власним джерелом.',
  },
  kk: {
    toAddress: 'Мекенжайға',
    which: 'Қай карта және қай валютамен?',
    whichText: 'Алушыдан картаның бет жағындағы нөмірді сұраңыз.',
    card: 'Карта нөмірі',
    cardHint:
      '13-тен 19-ға дейін цифр. Төлем жасалғанша ол шифрланып сақталады. Мүшелер алғашқы алты және соңғы төрт цифрды көреді.',
    keepCard: (card) => `${card} картасын қалдыру үшін өрісті бос қалдырыңыз.`,
    currency: 'Валюта',
    badCard: 'Бұл төлем картасының нөмірі емес. Цифрларын тексеріңіз.',
    chooseCurrency: 'Валютаны таңдаңыз.',
    changeCard: 'Картаны немесе валютаны өзгерту',
    badMeta: 'Ескертпе тым ұзын немесе онда карта нөмірі бар.',
    isShort: 'Қолжетімді баланс бұл сомадан аз. Мақұлданғаннан кейін де аз болса, төлем орындалмайды.',
    feeText: 'Комиссия бұдан екі еседен көп болса, төлем жасалмайды.',
    title: 'Картаға төлем',
    placing: 'Мақұлданды. Картаға төлем орындалуда.',
    approveText: 'Картаның цифрларын және соманы өз дереккөзіңізбен салыстырыңыз.',
  },
  ru: {
    toAddress: 'На адрес',
    which: 'Какая карта и в какой валюте?',
    whichText: 'Спросите у получателя номер на лицевой стороне карты.',
    card: 'Номер карты',
    cardHint:
      'От 13 до 19 цифр. Он хранится зашифрованным, пока выплата не сделана. Участники видят первые шесть и последние четыре цифры.',
    keepCard: (card) => `Оставьте поле пустым, чтобы оставить карту ${card}.`,
    currency: 'Валюта',
    badCard: 'Это не номер платёжной карты. Проверьте цифры.',
    chooseCurrency: 'Выберите валюту.',
    changeCard: 'Изменить карту или валюту',
    badMeta: 'Примечание слишком длинное или содержит номер карты.',
    isShort: 'Доступный баланс меньше этой суммы. Если он будет меньше и после одобрения, выплата не состоится.',
    feeText: 'Выплата не будет сделана, если комиссия более чем вдвое выше этой.',
    title: 'Выплата на карту',
    placing: 'Одобрено. Выплата на карту выполняется.',
    approveText: 'Сравните цифры карты и сумму с собственным источником.',
  },
}
