import type { Texts } from './texts.ts'

export const uk: Texts = {
  receipt: {
    subject: (company, amount) => `Квитанція: ${amount} сплачено ${company}`,
    title: 'Платіж отримано',
    body: (company) => `Ваш платіж для ${company} отримано. Квитанцію додано у форматі PDF.`,
    open: 'Відкрити рахунок',
  },
  underpaid: {
    subject: (company) => `Ваш платіж для ${company} неповний`,
    title: 'Надійшло менше, ніж потрібно',
    body: (paid, amount) => `До закінчення строку дії рахунку надійшло ${paid} із ${amount}. Ваші кошти збережено.`,
    choice: (missing) => `Ви можете доплатити ${missing} або попросити повернути сплачене.`,
    button: 'Обрати, що робити',
    secret: 'Кожен, хто має це посилання, може попросити повернення. Не пересилайте цей лист.',
  },
  claim: {
    subject: {
      approved: (company) => `${company}: повернення погоджено`,
      declined: (company) => `${company}: у поверненні відмовлено`,
      sent: (company) => `${company}: кошти надіслано вам`,
    },
    title: { approved: 'Повернення погоджено', declined: 'У поверненні відмовлено', sent: 'Кошти повернено' },
    body: {
      approved: (company, refund) =>
        `Компанія ${company} погодилася повернути вам ${refund}. Ми напишемо ще раз, коли кошти буде надіслано.`,
      declined: (company) =>
        `Компанія ${company} відмовила в поверненні коштів. Якщо маєте запитання, зверніться до компанії.`,
      sent: (company, refund) => `Компанія ${company} надіслала ${refund} на адресу, яку ви вказали.`,
    },
  },
  cardRefund: (company, refund) =>
    `Компанія ${company} повернула ${refund} на картку, якою ви платили. Банк картки може показати це за кілька днів.`,
  exhausted: {
    subject: (merchant) => `${merchant}: сповіщення не приймаються`,
    title: 'Сповіщення не приймаються',
    body: (merchant, since) => `Приймач ${merchant} не прийняв сповіщення. Остання спроба: ${since}.`,
    waits:
      'Наступні сповіщення того самого об’єкта чекають, щоб зберегти порядок; сповіщення інших об’єктів надсилаються далі. Нічого не втрачено.',
    next: 'Щойно ваш приймач знову відповість 2xx, усе, що чекає, буде надіслано по порядку. До того ми пробуємо раз на добу протягом 7 днів.',
  },
  activity: {
    subject: (merchant, counts) => `${merchant}: ${counts}`,
    title: 'Рух коштів',
    period: (from, until) => `З ${from} до ${until}.`,
    counted: {
      deposit: (count) => `надходження: ${count}`,
      withdrawal: (count) => `виведення: ${count}`,
      'card-payout': (count) => `виплати на картки: ${count}`,
      invoice: (count) => `сплачені рахунки: ${count}`,
    },
    one: { deposit: 'Надходження', withdrawal: 'Виведення', 'card-payout': 'Виплата на картку', invoice: 'Рахунок' },
    failed: 'не виконано',
    more: (count) => `І ще ${count}: усі вони є у списку подій.`,
  },
  names: {
    amount: 'Сума',
    received: 'Отримано',
    missing: 'Бракує',
    fee: 'Комісія',
    card: 'Картка',
    description: 'Призначення',
    network: 'Мережа',
    paidAt: 'Сплачено',
    invoice: 'Рахунок',
    refundTo: 'Повернути на',
    transaction: 'Транзакція',
    note: 'Повідомлення',
    receiver: 'Приймач',
    object: 'Об’єкт',
    error: 'Відповідь',
  },
  payerFooter: (company) => `Ви отримали цей лист, бо оплачували рахунок ${company} і вказали цю адресу.`,
  merchantFooter: 'Ви отримали цей лист, бо цю адресу вказано в налаштуваннях вашого облікового запису.',
}
