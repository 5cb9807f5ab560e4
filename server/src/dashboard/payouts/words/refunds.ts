import type { Language } from '../../../platform/base/language.ts'

/** Texts of a request that returns money of a payment. */
interface RefundRequestWords {
  title: Record<'claim' | 'card', string>
  payment: string
  openPayment: string
  /** the fee of a claim is part of its amount */
  fromBalance: string
  card: string
  note: Record<'claim' | 'card', string>
  approveText: string
  placing: string
}

export const REFUND_REQUEST_WORDS: Readonly<Record<Language, RefundRequestWords>> = {
  en: {
    title: { claim: 'Refund to a payer', card: 'Refund to a card' },
    payment: 'Payment',
    openPayment: 'Open the payment',
    fromBalance: 'From the balance, with the fee in it',
    card: 'Card',
    note: { claim: 'Note to the payer', card: 'Reason' },
    approveText: 'Compare the amount with the payment, and the address with the claim of the payer.',
    placing: 'Approved. The refund is being made.',
  },
  uk: {
    title: { claim: 'Повернення платнику', card: 'Повернення на картку' },
    payment: 'Платіж',
    openPayment: 'Відкрити платіж',
    fromBalance: 'З балансу, разом із комісією',
    card: 'Картка',
    note: { claim: 'Примітка для платника', card: 'Причина' },
    approveText: 'Порівняйте суму з платежем, а адресу із запитом платника.',
    placing: 'Схвалено. Повернення виконується.',
  },
  kk: {
    title: { claim: 'Төлеушіге қайтару', card: 'Картаға қайтару' },
    payment: 'Төлем',
    openPayment: 'Төлемді ашу',
    fromBalance: 'Балансыңыздан, комиссиясымен бірге',
    card: 'Карта',
    note: { claim: 'Төлеушіге ескертпе', card: 'Себеп' },
    approveText: 'Соманы төлеммен, мекенжайды төлеушінің өтінішімен салыстырыңыз.',
    placing: 'Мақұлданды. Қайтару орындалуда.',
  },
  ru: {
    title: { claim: 'Возврат плательщику', card: 'Возврат на карту' },
    payment: 'Платёж',
    openPayment: 'Открыть платёж',
    fromBalance: 'С баланса, вместе с комиссией',
    card: 'Карта',
    note: { claim: 'Примечание для плательщика', card: 'Причина' },
    approveText: 'Сравните сумму с платежом, а адрес с запросом плательщика.',
    placing: 'Одобрено. Возврат выполняется.',
  },
}
