import type { Language } from '../../../platform/base/language.ts'

/** Texts of the page that leads through a new payout. */
interface GuideWords {
  step: (n: number, all: number) => string
  oneForm: string
  where: string
  whereText: string
  other: string
  otherHint: string
  toCard: string
  chooseWhere: string
  badAddress: string
  next: string
  what: string
  whatText: string
  chooseWhat: string
  available: (amount: string) => string
  howMuch: string
  most: string
  noFee: string
  all: string
  allText: string
  changeWhere: string
  changeWhat: string
}

const en: GuideWords = {
  step: (n, all) => `Step ${n} of ${all}`,
  oneForm: 'All in one form',
  where: 'Where to?',
  whereText: 'Choose an address of the address book, or type another one.',
  other: 'Another address',
  otherHint: 'Copy it from the receiver. The next step shows the networks on which it can be paid.',
  toCard: 'To a bank card',
  chooseWhere: 'Choose an address, or type one.',
  badAddress: 'This is no address that can be paid.',
  next: 'Continue',
  what: 'Which asset, on which network?',
  whatText: 'Ask the receiver for the network. Money on another network may be lost.',
  chooseWhat: 'Choose an asset and a network.',
  available: (amount) => `available ${amount}`,
  howMuch: 'How much?',
  most: 'The receiver can get at most',
  noFee: 'not known right now',
  all: 'Pay everything that is available',
  allText:
    'The receiver gets the available amount without the fee. If the fee rises before the approval, there is not enough, and the payout waits.',
  changeWhere: 'Change the address',
  changeWhat: 'Change the asset',
}

const uk: GuideWords = {
  step: (n, all) => `Крок ${n} з ${all}`,
  oneForm: 'Усе в одній формі',
  where: 'Куди?',
  whereText: 'Виберіть адресу з адресної книги або введіть іншу.',
  other: 'Інша адреса',
  otherHint: 'Візьміть її в отримувача й скопіюйте. Наступний крок покаже мережі, у яких на неї можна платити.',
  toCard: 'На банківську картку',
  chooseWhere: 'Виберіть адресу або введіть її.',
  badAddress: 'На таку адресу не можна платити.',
  next: 'Далі',
  what: 'Який актив і в якій мережі?',
  whatText: 'Запитайте мережу в отримувача. Гроші в іншій мережі можуть бути втрачені.',
  chooseWhat: 'Виберіть актив і мережу.',
  available: (amount) => `доступно ${amount}`,
  howMuch: 'Скільки?',
  most: 'Отримувач може одержати щонайбільше',
  noFee: 'зараз невідома',
  all: 'Виплатити все доступне',
  allText:
    'Отримувач одержить доступну суму без комісії. Якщо до схвалення комісія зросте, коштів не вистачить, і виплата чекатиме.',
  changeWhere: 'Змінити адресу',
  changeWhat: 'Змінити актив',
}

const kk: GuideWords = {
  step: (n, all) => `${all} қадамның ${n}-қадамы`,
  oneForm: 'Барлығы бір формада',
  where: 'Қайда?',
  whereText: 'Мекенжай кітабынан мекенжай таңдаңыз немесе басқасын енгізіңіз.',
  other: 'Басқа мекенжай',
  otherHint: 'Оны алушыдан көшіріп алыңыз. Келесі қадам оған қай желілерде төлеуге болатынын көрсетеді.',
  toCard: 'Банк картасына',
  chooseWhere: 'Мекенжай таңдаңыз немесе енгізіңіз.',
  badAddress: 'Бұл мекенжайға төлеуге болмайды.',
  next: 'Жалғастыру',
  what: 'Қай актив, қай желіде?',
  whatText: 'Желіні алушыдан сұраңыз. Басқа желідегі ақша жоғалуы мүмкін.',
  chooseWhat: 'Актив пен желіні таңдаңыз.',
  available: (amount) => `қолжетімді ${amount}`,
  howMuch: 'Қанша?',
  most: 'Алушы ең көбі алатын сома',
  noFee: 'қазір белгісіз',
  all: 'Қолжетімдінің бәрін төлеу',
  allText:
    'Алушы қолжетімді соманы комиссиясыз алады. Мақұлдауға дейін комиссия өссе, қаражат жетпейді және төлем күтеді.',
  changeWhere: 'Мекенжайды өзгерту',
  changeWhat: 'Активті өзгерту',
}

const ru: GuideWords = {
  step: (n, all) => `Шаг ${n} из ${all}`,
  oneForm: 'Всё в одной форме',
  where: 'Куда?',
  whereText: 'Выберите адрес из адресной книги или введите другой.',
  other: 'Другой адрес',
  otherHint: 'Возьмите его у получателя и скопируйте. Следующий шаг покажет сети, в которых на него можно платить.',
  toCard: 'На банковскую карту',
  chooseWhere: 'Выберите адрес или введите его.',
  badAddress: 'На такой адрес нельзя платить.',
  next: 'Далее',
  what: 'Какой актив и в какой сети?',
  whatText: 'Спросите сеть у получателя. Деньги в другой сети могут быть потеряны.',
  chooseWhat: 'Выберите актив и сеть.',
  available: (amount) => `доступно ${amount}`,
  howMuch: 'Сколько?',
  most: 'Получатель может получить не более',
  noFee: 'сейчас неизвестна',
  all: 'Выплатить всё доступное',
  allText:
    'Получатель получит доступную сумму без комиссии. Если до одобрения комиссия вырастет, средств не хватит, и выплата будет ждать.',
  changeWhere: 'Изменить адрес',
  changeWhat: 'Изменить актив',
}

export const GUIDE_WORDS: Readonly<Record<Language, GuideWords>> = { uk, kk, ru, en }
