import type { Texts } from './texts.ts'

export const ru: Texts = {
  receipt: {
    subject: (company, amount) => `Квитанция: ${amount} оплачено ${company}`,
    title: 'Платёж получен',
    body: (company) => `Ваш платёж для ${company} получен. Квитанция приложена в формате PDF.`,
    open: 'Открыть счёт',
  },
  underpaid: {
    subject: (company) => `Ваш платёж для ${company} неполный`,
    title: 'Поступило меньше, чем нужно',
    body: (paid, amount) =>
      `До истечения срока действия счёта поступило ${paid} из ${amount}. Ваши деньги в сохранности.`,
    choice: (missing) => `Вы можете доплатить ${missing} или попросить вернуть оплаченное.`,
    button: 'Выбрать, что делать',
    secret: 'Любой, у кого есть эта ссылка, может запросить возврат. Не пересылайте это письмо.',
  },
  claim: {
    subject: {
      approved: (company) => `${company}: возврат согласован`,
      declined: (company) => `${company}: в возврате отказано`,
      sent: (company) => `${company}: деньги отправлены вам`,
    },
    title: { approved: 'Возврат согласован', declined: 'В возврате отказано', sent: 'Деньги возвращены' },
    body: {
      approved: (company, refund) =>
        `Компания ${company} согласилась вернуть вам ${refund}. Мы напишем ещё раз, когда деньги будут отправлены.`,
      declined: (company) => `Компания ${company} отказала в возврате денег. Если есть вопросы, обратитесь в компанию.`,
      sent: (company, refund) => `Компания ${company} отправила ${refund} на адрес, который вы указали.`,
    },
  },
  cardRefund: (company, refund) =>
    `Компания ${company} вернула ${refund} на карту, которой вы платили. Банк карты может показать это через несколько дней.`,
  exhausted: {
    subject: (merchant) => `${merchant}: уведомления не принимаются`,
    title: 'Уведомления не принимаются',
    body: (merchant, since) => `Приёмник ${merchant} не принял уведомление. Последняя попытка: ${since}.`,
    waits:
      'Следующие уведомления того же объекта ждут, чтобы сохранить порядок; уведомления других объектов отправляются дальше. Ничего не потеряно.',
    next: 'Как только ваш приёмник снова ответит 2xx, всё, что ждёт, будет отправлено по порядку. До этого мы пробуем раз в сутки в течение 7 дней.',
  },
  activity: {
    subject: (merchant, counts) => `${merchant}: ${counts}`,
    title: 'Движение средств',
    period: (from, until) => `С ${from} по ${until}.`,
    counted: {
      deposit: (count) => `поступления: ${count}`,
      withdrawal: (count) => `выводы: ${count}`,
      'card-payout': (count) => `выплаты на карты: ${count}`,
      invoice: (count) => `оплаченные счета: ${count}`,
    },
    one: { deposit: 'Поступление', withdrawal: 'Вывод', 'card-payout': 'Выплата на карту', invoice: 'Счёт' },
    failed: 'не выполнено',
    more: (count) => `И ещё ${count}: все они есть в списке событий.`,
  },
  names: {
    amount: 'Сумма',
    received: 'Получено',
    missing: 'Не хватает',
    fee: 'Комиссия',
    card: 'Карта',
    description: 'Назначение',
    network: 'Сеть',
    paidAt: 'Оплачено',
    invoice: 'Счёт',
    refundTo: 'Вернуть на',
    transaction: 'Транзакция',
    note: 'Сообщение',
    receiver: 'Приёмник',
    object: 'Объект',
    error: 'Ответ',
  },
  payerFooter: (company) => `Вы получили это письмо, потому что оплачивали счёт ${company} и указали этот адрес.`,
  merchantFooter: 'Вы получили это письмо, потому что этот адрес указан в настройках вашей учётной записи.',
}
