/** Texts of the signer's own page, in the languages of the dashboard. */
export interface Words {
  title: string
  signInText: string
  signIn: string
  noScript: string
  signedInAs: string
  signOut: string
  waiting: string
  none: string
  compare: string
  network: string
  to: string
  intent: string
  since: string
  approvals: string
  of: (given: number, needed: number) => string
  until: string
  approve: string
  alreadyYours: string
  done: string
  notMade: string
  refused: Record<PageFault, string>
  enrol: string
  enrolText: (id: string) => string
  enrolButton: string
  enrolled: string
  fingerprint: string
}

/** Faults that a page explains. */
export type PageFault =
  | 'too-old'
  | 'not-waiting'
  | 'not-enrolled'
  | 'counter'
  | 'answer'
  | 'busy'
  | 'signed-out'
  | 'code'

const en: Words = {
  title: 'Approvals of the signer',
  signInText: 'Sign in with the passkey that the administrator of this signer enrolled for you.',
  signIn: 'Sign in with a passkey',
  noScript: 'Passkeys need JavaScript. Without it, approve with the command bursar-signer approve.',
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
  waiting: 'Payments that wait',
  none: 'No payment waits for approvals.',
  compare: 'Compare the amount and the whole address with the order before you approve. The signer signs exactly this.',
  network: 'Network',
  to: 'To',
  intent: 'Intent',
  since: 'Waits since',
  approvals: 'Approvals',
  of: (given, needed) => `${given} of ${needed}`,
  until: 'Your approval ends',
  approve: 'Approve this payment',
  alreadyYours: 'You have approved this payment.',
  done: 'Your approval is in the log of the signer.',
  notMade: 'The passkey was not used. Try again.',
  refused: {
    'too-old': 'This page was open for too long. Look at the payment again, then approve it.',
    'not-waiting': 'This payment does not wait any more, or it has changed. Nothing was approved.',
    'not-enrolled': 'This passkey is not enrolled. Ask the administrator of the signer.',
    counter: 'This passkey may have been copied: its counter did not rise. Tell the administrator of the signer.',
    answer: 'The answer of the passkey is not valid. Nothing was approved.',
    busy: 'The signer is busy. Nothing was approved. Try again.',
    'signed-out': 'You are signed out. Nothing was approved. Sign in again.',
    code: 'This link is not valid any more. Ask the administrator of the signer for a new one.',
  },
  enrol: 'Enrol a passkey',
  enrolText: (id) => `Make a passkey with which you approve payments as ${id}.`,
  enrolButton: 'Make a passkey',
  enrolled: 'The passkey is made. It counts once the administrator has added it to the policy.',
  fingerprint: 'Read this fingerprint to the administrator',
}

const uk: Words = {
  title: 'Схвалення підписувача',
  signInText: 'Увійдіть ключем доступу, який для вас додав адміністратор цього підписувача.',
  signIn: 'Увійти ключем доступу',
  noScript: 'Ключам доступу потрібен JavaScript. Без нього схвалюйте командою bursar-signer approve.',
  signedInAs: 'Ви увійшли як',
  signOut: 'Вийти',
  waiting: 'Платежі, що очікують',
  none: 'Жоден платіж не очікує схвалення.',
  compare: 'Перед схваленням звірте суму й усю адресу із замовленням. Підписувач підпише саме це.',
  network: 'Мережа',
  to: 'Кому',
  intent: 'Намір',
  since: 'Очікує з',
  approvals: 'Схвалення',
  of: (given, needed) => `${given} з ${needed}`,
  until: 'Ваше схвалення діє до',
  approve: 'Схвалити цей платіж',
  alreadyYours: 'Ви схвалили цей платіж.',
  done: 'Ваше схвалення записано в журнал підписувача.',
  notMade: 'Ключ доступу не використано. Спробуйте ще раз.',
  refused: {
    'too-old': 'Сторінка була відкрита надто довго. Перегляньте платіж ще раз, потім схваліть.',
    'not-waiting': 'Цей платіж більше не очікує або змінився. Нічого не схвалено.',
    'not-enrolled': 'Цей ключ доступу не додано. Зверніться до адміністратора підписувача.',
    counter: 'Можливо, цей ключ доступу скопійовано: його лічильник не зріс. Повідомте адміністратора підписувача.',
    answer: 'Відповідь ключа доступу недійсна. Нічого не схвалено.',
    busy: 'Підписувач зайнятий. Нічого не схвалено. Спробуйте ще раз.',
    'signed-out': 'Сеанс завершено. Нічого не схвалено. Увійдіть знову.',
    code: 'Це посилання більше не дійсне. Попросіть в адміністратора підписувача нове.',
  },
  enrol: 'Додати ключ доступу',
  enrolText: (id) => `Створіть ключ доступу, яким ви схвалюватимете платежі як ${id}.`,
  enrolButton: 'Створити ключ доступу',
  enrolled: 'Ключ доступу створено. Він діятиме, коли адміністратор додасть його до політики.',
  fingerprint: 'Прочитайте цей відбиток адміністраторові',
}

const kk: Words = {
  title: 'Қол қоюшының мақұлдаулары',
  signInText: 'Осы қол қоюшының әкімшісі сіз үшін тіркеген кіру кілтімен кіріңіз.',
  signIn: 'Кіру кілтімен кіру',
  noScript: 'Кіру кілттеріне JavaScript қажет. Онсыз bursar-signer approve пәрменімен мақұлдаңыз.',
  signedInAs: 'Сіз кірген атау',
  signOut: 'Шығу',
  waiting: 'Күтіп тұрған төлемдер',
  none: 'Мақұлдауды күтіп тұрған төлем жоқ.',
  compare: 'Мақұлдамас бұрын соманы және бүкіл мекенжайды тапсырыспен салыстырыңыз. Қол қоюшы дәл осыған қол қояды.',
  network: 'Желі',
  to: 'Кімге',
  intent: 'Ниет',
  since: 'Күте бастаған уақыты',
  approvals: 'Мақұлдаулар',
  of: (given, needed) => `${needed} ішінен ${given}`,
  until: 'Мақұлдауыңыз мына уақытқа дейін жарамды',
  approve: 'Осы төлемді мақұлдау',
  alreadyYours: 'Сіз бұл төлемді мақұлдадыңыз.',
  done: 'Мақұлдауыңыз қол қоюшының журналына жазылды.',
  notMade: 'Кіру кілті қолданылмады. Қайталап көріңіз.',
  refused: {
    'too-old': 'Бет тым ұзақ ашық тұрды. Төлемді қайта қарап, содан кейін мақұлдаңыз.',
    'not-waiting': 'Бұл төлем енді күтпейді немесе өзгерген. Ештеңе мақұлданбады.',
    'not-enrolled': 'Бұл кіру кілті тіркелмеген. Қол қоюшының әкімшісіне хабарласыңыз.',
    counter: 'Бұл кіру кілті көшірілген болуы мүмкін: оның санауышы өспеді. Қол қоюшының әкімшісіне хабарлаңыз.',
    answer: 'Кіру кілтінің жауабы жарамсыз. Ештеңе мақұлданбады.',
    busy: 'Қол қоюшы бос емес. Ештеңе мақұлданбады. Қайталап көріңіз.',
    'signed-out': 'Сеанс аяқталды. Ештеңе мақұлданбады. Қайта кіріңіз.',
    code: 'Бұл сілтеме енді жарамсыз. Қол қоюшының әкімшісінен жаңасын сұраңыз.',
  },
  enrol: 'Кіру кілтін тіркеу',
  enrolText: (id) => `Төлемдерді ${id} ретінде мақұлдайтын кіру кілтін жасаңыз.`,
  enrolButton: 'Кіру кілтін жасау',
  enrolled: 'Кіру кілті жасалды. Әкімші оны саясатқа қосқаннан кейін ол жарамды болады.',
  fingerprint: 'Бұл таңбаны әкімшіге оқып беріңіз',
}

const ru: Words = {
  title: 'Одобрения подписывающего',
  signInText: 'Войдите ключом доступа, который для вас добавил администратор этого подписывающего.',
  signIn: 'Войти ключом доступа',
  noScript: 'Ключам доступа нужен JavaScript. Без него одобряйте командой bursar-signer approve.',
  signedInAs: 'Вы вошли как',
  signOut: 'Выйти',
  waiting: 'Ожидающие платежи',
  none: 'Ни один платёж не ждёт одобрения.',
  compare: 'Перед одобрением сверьте сумму и весь адрес с заказом. Подписано будет именно это.',
  network: 'Сеть',
  to: 'Кому',
  intent: 'Намерение',
  since: 'Ждёт с',
  approvals: 'Одобрения',
  of: (given, needed) => `${given} из ${needed}`,
  until: 'Ваше одобрение действует до',
  approve: 'Одобрить этот платёж',
  alreadyYours: 'Вы одобрили этот платёж.',
  done: 'Ваше одобрение записано в журнал подписывающего.',
  notMade: 'Ключ доступа не использован. Попробуйте ещё раз.',
  refused: {
    'too-old': 'Страница была открыта слишком долго. Посмотрите на платёж ещё раз и одобрите.',
    'not-waiting': 'Этот платёж больше не ждёт или изменился. Ничего не одобрено.',
    'not-enrolled': 'Этот ключ доступа не добавлен. Обратитесь к администратору подписывающего.',
    counter: 'Возможно, этот ключ доступа скопирован: его счётчик не вырос. Сообщите администратору подписывающего.',
    answer: 'Ответ ключа доступа недействителен. Ничего не одобрено.',
    busy: 'Подписывающий занят. Ничего не одобрено. Попробуйте ещё раз.',
    'signed-out': 'Сеанс завершён. Ничего не одобрено. Войдите снова.',
    code: 'Эта ссылка больше не действует. Попросите у администратора подписывающего новую.',
  },
  enrol: 'Добавить ключ доступа',
  enrolText: (id) => `Создайте ключ доступа, которым вы будете одобрять платежи как ${id}.`,
  enrolButton: 'Создать ключ доступа',
  enrolled: 'Ключ доступа создан. Он начнёт действовать, когда администратор добавит его в политику.',
  fingerprint: 'Прочитайте этот отпечаток администратору',
}

const WORDS = { en, uk, kk, ru } as const
export type Language = keyof typeof WORDS

export const wordsOf = (language: Language): Words => WORDS[language]

/** The first language of the browser's list that the page has; English if there is none. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const wanted = (acceptLanguage ?? '').split(',').map((part) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
    const quality = Number(/q=([0-9.]+)/.exec(parameters.join(';'))?.[1] ?? '1')
    return { name: tag.split('-')[0]!, quality: Number.isNaN(quality) ? 0 : quality }
  })
  const known = wanted.filter((one): one is { name: Language; quality: number } => Object.hasOwn(WORDS, one.name))
  return known.toSorted((a, b) => b.quality - a.quality)[0]?.name ?? 'en'
}
