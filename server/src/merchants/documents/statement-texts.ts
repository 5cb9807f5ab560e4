import type { Language } from '../../platform/base/language.ts'

/** The texts of a monthly statement in one language. */
export interface StatementTexts {
  title: string
  month: string
  opening: string
  closing: string
  credits: string
  debits: string
  all: string
  none: string
  cause: string
  count: string
  amount: string
  changes: string
  time: string
  balance: string
  tooMany: string
  foot: string
}

export const STATEMENT_TEXTS: Record<Language, StatementTexts> = {
  en: {
    title: 'Statement',
    month: 'Month (UTC)',
    opening: 'Opening balance',
    closing: 'Closing balance',
    credits: 'Credited',
    debits: 'Debited',
    all: 'All causes',
    none: 'Nothing.',
    cause: 'Cause',
    count: 'Number',
    amount: 'Amount',
    changes: 'Changes of the balance',
    time: 'Time',
    balance: 'Balance after',
    tooMany: 'This month has too many entries for a document. The CSV file of the statement has all of them.',
    foot: 'Balances include money that is reserved for orders.',
  },
  uk: {
    title: 'Виписка',
    month: 'Місяць (UTC)',
    opening: 'Залишок на початок',
    closing: 'Залишок на кінець',
    credits: 'Зараховано',
    debits: 'Списано',
    all: 'Усі підстави',
    none: 'Нічого.',
    cause: 'Підстава',
    count: 'Кількість',
    amount: 'Сума',
    changes: 'Зміни залишку',
    time: 'Час',
    balance: 'Залишок після',
    tooMany: 'За цей місяць забагато записів для документа. Усі вони є у файлі CSV цієї виписки.',
    foot: 'Залишки містять кошти, зарезервовані для доручень.',
  },
  kk: {
    title: 'Үзінді көшірме',
    month: 'Ай (UTC)',
    opening: 'Басындағы қалдық',
    closing: 'Соңындағы қалдық',
    credits: 'Есепке жазылды',
    debits: 'Есептен шығарылды',
    all: 'Барлық негіз',
    none: 'Ештеңе жоқ.',
    cause: 'Негіз',
    count: 'Саны',
    amount: 'Сома',
    changes: 'Қалдықтың өзгерістері',
    time: 'Уақыты',
    balance: 'Кейінгі қалдық',
    tooMany: 'Бұл айда құжатқа сыймайтындай көп жазба бар. Олардың бәрі осы үзінді көшірменің CSV файлында.',
    foot: 'Қалдықтарға тапсырмалар үшін сақталған қаражат кіреді.',
  },
  ru: {
    title: 'Выписка',
    month: 'Месяц (UTC)',
    opening: 'Остаток на начало',
    closing: 'Остаток на конец',
    credits: 'Зачислено',
    debits: 'Списано',
    all: 'Все основания',
    none: 'Ничего.',
    cause: 'Основание',
    count: 'Количество',
    amount: 'Сумма',
    changes: 'Изменения остатка',
    time: 'Время',
    balance: 'Остаток после',
    tooMany: 'За этот месяц слишком много записей для документа. Все они есть в файле CSV этой выписки.',
    foot: 'Остатки включают средства, зарезервированные для поручений.',
  },
}
