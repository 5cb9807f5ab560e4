import type { Language } from '../../../platform/base/language.ts'
import type { PayoutStatus } from '../made.ts'

/** Texts of the pages of payouts that were made. */
interface MadeWords {
  title: string
  one: string
  kind: string
  chain: string
  card: string
  to: string
  hash: string
  fee: string
  why: string
  parts: string
  statuses: Record<PayoutStatus, string>
  none: string
  noneText: string
}

const uk: MadeWords = {
  title: 'Зроблені виплати',
  one: 'Виплата',
  kind: 'Куди',
  chain: 'На адреси',
  card: 'На картки',
  to: 'Отримувач',
  hash: 'Хеш транзакції',
  fee: 'Комісія',
  why: 'Причина',
  parts: 'Перекази на картку',
  statuses: { pending: 'Виконується', done: 'Виконано', failed: 'Не вдалася' },
  none: 'Таких виплат немає',
  noneText: 'Тут є виплати за запитами учасників, через API та після обмінів.',
}
const kk: MadeWords = {
  title: 'Жасалған төлемдер',
  one: 'Төлем',
  kind: 'Қайда',
  chain: 'Мекенжайларға',
  card: 'Карталарға',
  to: 'Алушы',
  hash: 'Транзакция хеші',
  fee: 'Комиссия',
  why: 'Себебі',
  parts: 'Картаға аударымдар',
  statuses: { pending: 'Орындалуда', done: 'Орындалды', failed: 'Сәтсіз' },
  none: 'Мұндай төлемдер жоқ',
  noneText: 'Мұнда мүшелердің сұраулары бойынша, API арқылы және айырбастан кейін жасалған төлемдер бар.',
}
const ru: MadeWords = {
  title: 'Сделанные выплаты',
  one: 'Выплата',
  kind: 'Куда',
  chain: 'На адреса',
  card: 'На карты',
  to: 'Получатель',
  hash: 'Хеш транзакции',
  fee: 'Комиссия',
  why: 'Причина',
  parts: 'Переводы на карту',
  statuses: { pending: 'Выполняется', done: 'Выполнена', failed: 'Не удалась' },
  none: 'Таких выплат нет',
  noneText: 'Здесь есть выплаты по запросам участников, через API и после обменов.',
}
const en: MadeWords = {
  title: 'Payouts made',
  one: 'Payout',
  kind: 'Destination',
  chain: 'Addresses',
  card: 'Cards',
  to: 'Receiver',
  hash: 'Transaction hash',
  fee: 'Fee',
  why: 'Reason',
  parts: 'Payments to the card',
  statuses: { pending: 'In progress', done: 'Done', failed: 'Failed' },
  none: 'No such payouts',
  noneText: 'The list has payouts by requests of members, by the API, and after exchanges.',
}

export const MADE_WORDS: Readonly<Record<Language, MadeWords>> = { uk, kk, ru, en }
