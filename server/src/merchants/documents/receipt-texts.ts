import type { Language } from '../../platform/base/language.ts'

/** The texts of a receipt in one language. */
export interface ReceiptTexts {
  title: string
  paid: string
  amount: string
  received: string
  price: string
  fee: string
  card: string
  reference: string
  order: string
  description: string
  network: string
  address: string
  created: string
  paidAt: string
  invoice: string
  company: string
  payments: string
  time: string
  transaction: string
  internal: string
  foot: (company: string) => string
}

export const RECEIPT_TEXTS: Record<Language, ReceiptTexts> = {
  en: {
    title: 'Receipt',
    paid: 'Paid',
    amount: 'Total',
    received: 'Received',
    price: 'Price',
    fee: 'Fee',
    card: 'Card',
    reference: 'Payment number',
    order: 'Order',
    description: 'For',
    network: 'Network',
    address: 'Paid to address',
    created: 'Invoice created',
    paidAt: 'Paid',
    invoice: 'Invoice',
    company: 'Company',
    payments: 'Payments',
    time: 'Time',
    transaction: 'Transaction',
    internal: 'within the payment service, without a chain',
    foot: (company) => `${company} has received this payment. This receipt confirms it and is not a tax document.`,
  },
  uk: {
    title: 'Квитанція',
    paid: 'Сплачено',
    amount: 'До сплати',
    received: 'Отримано',
    price: 'Ціна',
    fee: 'Комісія',
    card: 'Картка',
    reference: 'Номер платежу',
    order: 'Замовлення',
    description: 'Призначення',
    network: 'Мережа',
    address: 'Адреса отримувача',
    created: 'Рахунок створено',
    paidAt: 'Сплачено',
    invoice: 'Рахунок',
    company: 'Компанія',
    payments: 'Платежі',
    time: 'Час',
    transaction: 'Транзакція',
    internal: 'усередині платіжного сервісу, без мережі',
    foot: (company) => `Отримувач платежу: ${company}. Квитанція підтверджує платіж і не є податковим документом.`,
  },
  kk: {
    title: 'Түбіртек',
    paid: 'Төленді',
    amount: 'Төлеуге тиіс',
    received: 'Алынды',
    price: 'Бағасы',
    fee: 'Комиссия',
    card: 'Карта',
    reference: 'Төлем нөмірі',
    order: 'Тапсырыс',
    description: 'Мақсаты',
    network: 'Желі',
    address: 'Алушының мекенжайы',
    created: 'Шот жасалды',
    paidAt: 'Төленді',
    invoice: 'Шот',
    company: 'Компания',
    payments: 'Төлемдер',
    time: 'Уақыты',
    transaction: 'Транзакция',
    internal: 'төлем сервисінің ішінде, желісіз',
    foot: (company) => `Төлемді алушы: ${company}. Түбіртек төлемді растайды және салық құжаты болып табылмайды.`,
  },
  ru: {
    title: 'Квитанция',
    paid: 'Оплачено',
    amount: 'К оплате',
    received: 'Получено',
    price: 'Цена',
    fee: 'Комиссия',
    card: 'Карта',
    reference: 'Номер платежа',
    order: 'Заказ',
    description: 'Назначение',
    network: 'Сеть',
    address: 'Адрес получателя',
    created: 'Счёт создан',
    paidAt: 'Оплачено',
    invoice: 'Счёт',
    company: 'Компания',
    payments: 'Платежи',
    time: 'Время',
    transaction: 'Транзакция',
    internal: 'внутри платёжного сервиса, без сети',
    foot: (company) =>
      `Получатель платежа: ${company}. Квитанция подтверждает платёж и не является налоговым документом.`,
  },
}
