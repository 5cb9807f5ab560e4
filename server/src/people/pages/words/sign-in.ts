import type { Language } from '../../../platform/base/language.ts'

/** Texts of signing in. */
export interface SignInWords {
  signIn: string
  signInTitle: string
  signInAgain: string
  withPasskey: string
  passkeyFailed: string
  withPassword: string
  noPasskeys: string
  email: string
  password: string
  code: string
  codeHint: string
  refused: string
  methods: Record<'passkey' | 'password' | 'recovery', string>
}

const uk: SignInWords = {
  signIn: 'Увійти',
  signInTitle: 'Вхід',
  signInAgain: 'Сеанс завершено. Увійдіть і продовжте з того самого місця. Введений текст збережено.',
  withPasskey: 'Увійти з ключем доступу',
  passkeyFailed: 'Ключ доступу не використано. Спробуйте ще раз або увійдіть із паролем.',
  withPassword: 'З паролем',
  noPasskeys: 'Для ключів доступу потрібен браузер, який їх підтримує, з увімкненими скриптами.',
  email: 'Електронна пошта',
  password: 'Пароль',
  code: 'Код',
  codeHint: 'Шість цифр із застосунку-автентифікатора або резервний код.',
  refused: 'Не вийшло. Перевірте адресу, пароль і код. Після кількох спроб зачекайте та спробуйте пізніше.',
  methods: { passkey: 'ключ доступу', password: 'пароль', recovery: 'резервний код' },
}

const kk: SignInWords = {
  signIn: 'Кіру',
  signInTitle: 'Кіру',
  signInAgain: 'Сеанс аяқталды. Кіріп, сол жерден жалғастырыңыз. Енгізген мәтініңіз сақталды.',
  withPasskey: 'Кіру кілтімен кіру',
  passkeyFailed: 'Кіру кілті қолданылмады. Қайталап көріңіз немесе құпиясөзбен кіріңіз.',
  withPassword: 'Құпиясөзбен',
  noPasskeys: 'Кіру кілттері үшін оларды қолдайтын, скрипттері қосулы браузер керек.',
  email: 'Электрондық пошта',
  password: 'Құпиясөз',
  code: 'Код',
  codeHint: 'Аутентификатор қолданбасындағы алты цифр немесе қалпына келтіру коды.',
  refused:
    'Болмады. Мекенжайды, құпиясөзді және кодты тексеріңіз. Бірнеше әрекеттен кейін күтіп, кейінірек қайталаңыз.',
  methods: { passkey: 'кіру кілті', password: 'құпиясөз', recovery: 'қалпына келтіру коды' },
}

const ru: SignInWords = {
  signIn: 'Войти',
  signInTitle: 'Вход',
  signInAgain: 'Сеанс завершён. Войдите и продолжите с того же места. Введённый текст сохранён.',
  withPasskey: 'Войти с ключом доступа',
  passkeyFailed: 'Ключ доступа не использован. Попробуйте ещё раз или войдите с паролем.',
  withPassword: 'С паролем',
  noPasskeys: 'Для ключей доступа нужен браузер, который их поддерживает, с включёнными скриптами.',
  email: 'Электронная почта',
  password: 'Пароль',
  code: 'Код',
  codeHint: 'Шесть цифр из приложения-аутентификатора или резервный код.',
  refused: 'Не получилось. Проверьте адрес, пароль и код. После нескольких попыток подождите и попробуйте позже.',
  methods: { passkey: 'ключ доступа', password: 'пароль', recovery: 'резервный код' },
}

const en: SignInWords = {
  signIn: 'Sign in',
  signInTitle: 'Sign in',
  signInAgain: 'Your session has ended. Sign in, and go on where you were. The text that you typed is kept.',
  withPasskey: 'Sign in with a passkey',
  passkeyFailed: 'The passkey was not used. Try again, or sign in with a password.',
  withPassword: 'With a password',
  noPasskeys: 'Passkeys need a browser that supports them, with scripts allowed.',
  email: 'E-mail',
  password: 'Password',
  code: 'Code',
  codeHint: 'Six digits from your authenticator app, or a recovery code.',
  refused:
    'That did not work. Check the address, the password and the code. After several attempts, wait and try later.',
  methods: { passkey: 'passkey', password: 'password', recovery: 'recovery code' },
}

export const SIGN_IN_WORDS: Readonly<Record<Language, SignInWords>> = { uk, kk, ru, en }
