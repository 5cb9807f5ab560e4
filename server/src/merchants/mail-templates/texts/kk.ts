import type { Texts } from './texts.ts'

export const kk: Texts = {
  receipt: {
    subject: (company, amount) => `Түбіртек: ${company} компаниясына ${amount} төленді`,
    title: 'Төлем алынды',
    body: (company) => `${company} сіздің төлеміңізді алды. Түбіртек PDF түрінде тіркелген.`,
    open: 'Шотты ашу',
  },
  underpaid: {
    subject: (company) => `${company} үшін төлеміңіз толық емес`,
    title: 'Қажеттіден аз сома түсті',
    body: (paid, amount) => `Шоттың мерзімі біткенше ${amount} сомасынан ${paid} түсті. Ақшаңыз сақтаулы.`,
    choice: (missing) => `Жетпейтін ${missing} сомасын төлей аласыз немесе төлегеніңізді қайтаруды сұрай аласыз.`,
    button: 'Әрекетті таңдау',
    secret: 'Осы сілтемесі бар кез келген адам ақшаны қайтаруды сұрай алады. Бұл хатты ешкімге жібермеңіз.',
  },
  claim: {
    subject: {
      approved: (company) => `${company}: қайтаруға келісілді`,
      declined: (company) => `${company}: қайтарудан бас тартылды`,
      sent: (company) => `${company}: ақша сізге жіберілді`,
    },
    title: { approved: 'Қайтаруға келісілді', declined: 'Қайтарудан бас тартылды', sent: 'Ақша қайтарылды' },
    body: {
      approved: (company, refund) =>
        `${company} сізге ${refund} қайтаруға келісті. Ақша жіберілгенде тағы хабарлаймыз.`,
      declined: (company) => `${company} ақшаны қайтарудан бас тартты. Сұрақтарыңыз болса, компанияға хабарласыңыз.`,
      sent: (company, refund) => `${company} сіз көрсеткен мекенжайға ${refund} жіберді.`,
    },
  },
  cardRefund: (company, refund) =>
    `${company} сіз төлеген картаға ${refund} қайтарды. Карта банкі мұны бірнеше күннен кейін көрсетуі мүмкін.`,
  exhausted: {
    subject: (merchant) => `${merchant}: хабарландырулар қабылданбай жатыр`,
    title: 'Хабарландырулар қабылданбай жатыр',
    body: (merchant, since) => `${merchant} қабылдағышы хабарландыруды қабылдамады. Соңғы әрекет: ${since}.`,
    waits:
      'Реті сақталуы үшін сол нысанның кейінгі хабарландырулары күтіп тұр; басқа нысандардікі жіберіле береді. Ештеңе жоғалған жоқ.',
    next: 'Қабылдағышыңыз қайтадан 2xx деп жауап берген бойда күтіп тұрғанның бәрі ретімен жіберіледі. Оған дейін 7 күн бойы тәулігіне бір рет әрекет жасаймыз.',
  },
  activity: {
    subject: (merchant, counts) => `${merchant}: ${counts}`,
    title: 'Қаражат қозғалысы',
    period: (from, until) => `${from} – ${until}.`,
    counted: {
      deposit: (count) => `түсімдер: ${count}`,
      withdrawal: (count) => `шығарулар: ${count}`,
      'card-payout': (count) => `картаға төлемдер: ${count}`,
      invoice: (count) => `төленген шоттар: ${count}`,
    },
    one: { deposit: 'Түсім', withdrawal: 'Шығару', 'card-payout': 'Картаға төлем', invoice: 'Шот' },
    failed: 'орындалмады',
    more: (count) => `Тағы ${count}: бәрі оқиғалар тізімінде бар.`,
  },
  names: {
    amount: 'Сома',
    received: 'Алынды',
    missing: 'Жетпейді',
    fee: 'Комиссия',
    card: 'Карта',
    description: 'Мақсаты',
    network: 'Желі',
    paidAt: 'Төленді',
    invoice: 'Шот',
    refundTo: 'Қайтару мекенжайы',
    transaction: 'Транзакция',
    note: 'Хабарлама',
    receiver: 'Қабылдағыш',
    object: 'Нысан',
    error: 'Жауап',
  },
  payerFooter: (company) => `Сіз бұл хатты ${company} шотын төлеп, осы мекенжайды көрсеткендіктен алдыңыз.`,
  merchantFooter: 'Сіз бұл хатты осы мекенжай есептік жазбаңызда көрсетілгендіктен алдыңыз.',
}
