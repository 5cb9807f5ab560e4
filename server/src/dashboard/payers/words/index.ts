import type { Language } from '../../../platform/base/language.ts'

/** The texts of the page that erases the address of a payer. */
interface PayerWords {
  title: string
  text: string
  email: string
  check: string
  confirmTitle: string
  warning: string
  erase: string
  back: string
  done: string
  noAddress: string
  proveFirst: string
}

export const PAYER_WORDS: Readonly<Record<Language, PayerWords>> = {
  en: {
    title: 'Erase the address of a payer',
    text: 'The e-mail address is removed from your invoices, card payments and mails to this payer. Amounts and identifiers stay.',
    email: 'E-mail address',
    check: 'Continue',
    confirmTitle: 'Erase this address?',
    warning:
      'This can not be undone. The payer gets no more mails about these invoices, also none about a refund. Notifications that were sent to you keep the address.',
    erase: 'Erase the address',
    back: 'Back',
    done: 'The address is being erased. This takes some seconds.',
    noAddress: 'Type one e-mail address.',
    proveFirst: 'First confirm that it is you.',
  },
  uk: {
    title: 'Стерти адресу платника',
    text: 'Адресу електронної пошти буде видалено з ваших рахунків, карткових платежів і листів цьому платнику. Суми й ідентифікатори лишаються.',
    email: 'Адреса електронної пошти',
    check: 'Далі',
    confirmTitle: 'Стерти цю адресу?',
    warning:
      'Скасувати це не можна. Платник більше не отримає листів про ці рахунки, зокрема про повернення. Сповіщення, які вам надіслано, зберігають адресу.',
    erase: 'Стерти адресу',
    back: 'Назад',
    done: 'Адресу стирають. Це займе кілька секунд.',
    noAddress: 'Напишіть одну адресу електронної пошти.',
    proveFirst: 'Спочатку підтвердьте, що це ви.',
  },
  kk: {
    title: 'Төлеушінің мекенжайын өшіру',
    text: 'Электрондық пошта мекенжайы шоттарыңыздан, карта төлемдерінен және осы төлеушіге жазылған хаттардан өшіріледі. Сомалар мен идентификаторлар қалады.',
    email: 'Электрондық пошта мекенжайы',
    check: 'Жалғастыру',
    confirmTitle: 'Осы мекенжайды өшіру керек пе?',
    warning:
      'Мұны қайтару мүмкін емес. Төлеуші бұл шоттар туралы, соның ішінде қайтару туралы хат алмайды. Сізге жіберілген хабарламаларда мекенжай қалады.',
    erase: 'Мекенжайды өшіру',
    back: 'Артқа',
    done: 'Мекенжай өшірілуде. Бұл бірнеше секунд алады.',
    noAddress: 'Бір электрондық пошта мекенжайын жазыңыз.',
    proveFirst: 'Алдымен бұл сіз екеніңізді растаңыз.',
  },
  ru: {
    title: 'Стереть адрес плательщика',
    text: 'Адрес электронной почты будет удалён из ваших счетов, платежей картой и писем этому плательщику. Суммы и идентификаторы остаются.',
    email: 'Адрес электронной почты',
    check: 'Далее',
    confirmTitle: 'Стереть этот адрес?',
    warning:
      'Отменить это нельзя. Плательщик больше не получит писем об этих счетах, в том числе о возврате. Уведомления, которые вам отправлены, сохраняют адрес.',
    erase: 'Стереть адрес',
    back: 'Назад',
    done: 'Адрес стирается. Это займёт несколько секунд.',
    noAddress: 'Напишите один адрес электронной почты.',
    proveFirst: 'Сначала подтвердите, что это вы.',
  },
}
