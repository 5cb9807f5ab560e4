import type { Language } from '../../platform/base/language.ts'

interface ArchiveWords {
  title: string
  text: string
  contents: string
  care: string
  download: string
  proveFirst: string
}

/** The texts of the page of the archive. */
export const ARCHIVE_WORDS: Readonly<Record<Language, ArchiveWords>> = {
  en: {
    title: 'Archive',
    text: 'One ZIP file with everything that the merchant owns, as CSV for spreadsheets and JSON for programs.',
    contents:
      'It has settings, the team and its actions, invoices, payments, deposits, payouts, exchanges, refunds, balances with every entry, and notifications. A long history takes some minutes; the download must be finished within an hour.',
    care: 'The file has names and e-mail addresses of payers. The download is in the audit log, and the owners of the merchant are mailed about it.',
    download: 'Download the archive',
    proveFirst: 'Confirm first that it is you. Nothing was downloaded.',
  },
  uk: {
    title: 'Архів',
    text: 'Один ZIP-файл з усім, що належить продавцю: CSV для таблиць і JSON для програм.',
    contents:
      'У ньому є налаштування, команда та її дії, рахунки, платежі, депозити, виплати, обміни, повернення, баланси з кожним записом і сповіщення. Довга історія готується кілька хвилин; завантаження має завершитися протягом години.',
    care: 'Файл містить імена та адреси електронної пошти платників. Завантаження записується в журнал дій, а власникам продавця надходить лист.',
    download: 'Завантажити архів',
    proveFirst: 'Спершу підтвердьте, що це ви. Нічого не завантажено.',
  },
  kk: {
    title: 'Мұрағат',
    text: 'Сатушыға тиесілінің бәрі бір ZIP файлында: кестелерге арналған CSV және бағдарламаларға арналған JSON.',
    contents:
      'Онда баптаулар, команда және оның әрекеттері, шоттар, төлемдер, депозиттер, төлем шығарулар, айырбастар, қайтарулар, әр жазбасы бар баланстар және хабарламалар бар. Ұзақ тарих бірнеше минут дайындалады; жүктеу бір сағат ішінде аяқталуы керек.',
    care: 'Файлда төлеушілердің аты-жөні мен электрондық пошта мекенжайлары бар. Жүктеу әрекеттер журналына жазылады және сатушының иелеріне хат жіберіледі.',
    download: 'Мұрағатты жүктеу',
    proveFirst: 'Алдымен бұл сіз екеніңізді растаңыз. Ештеңе жүктелмеді.',
  },
  ru: {
    title: 'Архив',
    text: 'Один ZIP-файл со всем, что принадлежит продавцу: CSV для таблиц и JSON для программ.',
    contents:
      'В нём есть настройки, команда и её действия, счета, платежи, депозиты, выплаты, обмены, возвраты, балансы с каждой записью и уведомления. Длинная история готовится несколько минут; загрузка должна завершиться в течение часа.',
    care: 'Файл содержит имена и адреса электронной почты плательщиков. Загрузка записывается в журнал действий, а владельцам продавца приходит письмо.',
    download: 'Скачать архив',
    proveFirst: 'Сначала подтвердите, что это вы. Ничего не скачано.',
  },
}
