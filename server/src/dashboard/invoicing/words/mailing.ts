import type { Language } from '../../../platform/base/language.ts'

/** Texts of the form that mails a payment page to a payer. */
export interface MailingWords {
  title: string
  text: string
  to: string
  language: string
  send: string
  said: Record<'queued' | 'off' | 'repeated' | 'limited' | 'unusable' | 'key', string>
}

const en: MailingWords = {
  title: 'Send it by e-mail',
  text: 'The payer gets a mail from us with the name of your company, the name of the page, the amount, and a button that opens the page.',
  to: 'E-mail address of the payer',
  language: 'Language of the mail',
  send: 'Send the mail',
  said: {
    queued: 'The mail is being sent.',
    off: 'This installation sends no mail. Copy the address of the page instead.',
    repeated: 'This address was sent this page already.',
    limited: 'Too many mails were sent to this address, or by this merchant. Try again later.',
    unusable: 'Enter an e-mail address like name@example.com.',
    key: 'This form is too old. Send it again.',
  },
}

const uk: MailingWords = {
  title: 'Надіслати електронною поштою',
  text: 'Платник отримає від нас лист із назвою вашої компанії, назвою сторінки, сумою та кнопкою, яка відкриває сторінку.',
  to: 'Адреса e-mail платника',
  language: 'Мова листа',
  send: 'Надіслати лист',
  said: {
    queued: 'Лист надсилається.',
    off: 'Ця система не надсилає листів. Скопіюйте адресу сторінки.',
    repeated: 'На цю адресу сторінку вже надіслано.',
    limited: 'На цю адресу або від цього продавця надіслано забагато листів. Спробуйте пізніше.',
    unusable: 'Введіть адресу на зразок name@example.com.',
    key: 'Ця форма застаріла. Надішліть її ще раз.',
  },
}

const kk: MailingWords = {
  title: 'Электрондық поштамен жіберу',
  text: 'Төлеуші бізден компанияңыздың атауы, беттің атауы, сома және бетті ашатын түймесі бар хат алады.',
  to: 'Төлеушінің e-mail мекенжайы',
  language: 'Хаттың тілі',
  send: 'Хатты жіберу',
  said: {
    queued: 'Хат жіберіліп жатыр.',
    off: 'Бұл жүйе хат жібермейді. Беттің мекенжайын көшіріп алыңыз.',
    repeated: 'Бұл мекенжайға бет бұрын жіберілген.',
    limited: 'Бұл мекенжайға немесе бұл сатушыдан тым көп хат жіберілді. Кейінірек қайталап көріңіз.',
    unusable: 'Мекенжайды name@example.com түрінде енгізіңіз.',
    key: 'Бұл форма ескірген. Оны қайта жіберіңіз.',
  },
}

const ru: MailingWords = {
  title: 'Отправить по электронной почте',
  text: 'Плательщик получит от нас письмо с названием вашей компании, названием страницы, суммой и кнопкой, которая открывает страницу.',
  to: 'Адрес e-mail плательщика',
  language: 'Язык письма',
  send: 'Отправить письмо',
  said: {
    queued: 'Письмо отправляется.',
    off: 'Эта система не отправляет писем. Скопируйте адрес страницы.',
    repeated: 'На этот адрес страница уже отправлена.',
    limited: 'На этот адрес или от этого продавца отправлено слишком много писем. Попробуйте позже.',
    unusable: 'Введите адрес вида name@example.com.',
    key: 'Эта форма устарела. Отправьте её ещё раз.',
  },
}

export const MAILING_WORDS: Readonly<Record<Language, MailingWords>> = { uk, kk, ru, en }
