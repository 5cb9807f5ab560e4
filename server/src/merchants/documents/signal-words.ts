import type { signalKeys } from '@bursar/contract'
import type { Language } from '../../platform/base/language.ts'
import { showText } from './showing.ts'

type SignalKey = (typeof signalKeys)[number]
type Words = Readonly<Record<Language, string>>

const of = (en: string, uk: string, kk: string, ru: string): Words => ({ en, uk, kk, ru })

/** The signals of a screening report (`contract.md` 6.1) in words. `mlrisk` is the risk of money laundering. */
const WORDS: Readonly<Record<SignalKey, Words>> = {
  atm: of('Crypto ATM', 'Криптобанкомат', 'Криптобанкомат', 'Криптобанкомат'),
  ico: of(
    'Initial coin offering (ICO)',
    'Первинне розміщення монет (ICO)',
    'Монеталарды алғашқы орналастыру (ICO)',
    'Первичное размещение монет (ICO)',
  ),
  scam: of('Scam', 'Шахрайство', 'Алаяқтық', 'Мошенничество'),
  miner: of('Miner', 'Майнер', 'Майнер', 'Майнер'),
  mixer: of('Mixer', 'Міксер', 'Миксер', 'Миксер'),
  other: of('Other', 'Інше', 'Басқа', 'Другое'),
  bridge: of('Bridge between networks', 'Міст між мережами', 'Желілер арасындағы көпір', 'Мост между сетями'),
  ransom: of('Ransom', 'Викуп', 'Төлем талап ету', 'Выкуп'),
  wallet: of('Wallet service', 'Сервіс гаманців', 'Әмиян сервисі', 'Сервис кошельков'),
  malware: of('Malware', 'Шкідливе ПЗ', 'Зиянды бағдарлама', 'Вредоносное ПО'),
  payment: of('Payment service', 'Платіжний сервіс', 'Төлем сервисі', 'Платёжный сервис'),
  exchange: of('Exchange', 'Біржа', 'Биржа', 'Биржа'),
  gambling: of('Gambling', 'Азартні ігри', 'Құмар ойындар', 'Азартные игры'),
  sanctions: of('Sanctions', 'Санкції', 'Санкциялар', 'Санкции'),
  fraud_shop: of(
    'Shop for stolen data',
    'Крамниця викрадених даних',
    'Ұрланған деректер дүкені',
    'Магазин краденых данных',
  ),
  dark_market: of('Darknet market', 'Ринок даркнету', 'Даркнет базары', 'Рынок даркнета'),
  marketplace: of('Marketplace', 'Маркетплейс', 'Маркетплейс', 'Маркетплейс'),
  dark_service: of('Darknet service', 'Сервіс даркнету', 'Даркнет сервисі', 'Сервис даркнета'),
  p2p_exchange: of('P2P exchange', 'P2P-біржа', 'P2P-биржа', 'P2P-биржа'),
  stolen_coins: of('Stolen coins', 'Викрадені монети', 'Ұрланған монеталар', 'Украденные монеты'),
  seized_assets: of('Seized assets', 'Арештовані активи', 'Тәркіленген активтер', 'Арестованные активы'),
  risky_exchange: of('Risky exchange', 'Ризикована біржа', 'Тәуекелді биржа', 'Рискованная биржа'),
  smart_contract: of('Smart contract', 'Смартконтракт', 'Смарт-келісімшарт', 'Смарт-контракт'),
  illegal_service: of('Illegal service', 'Незаконний сервіс', 'Заңсыз сервис', 'Незаконный сервис'),
  liquidity_pools: of('Liquidity pools', 'Пули ліквідності', 'Өтімділік пулдары', 'Пулы ликвидности'),
  online_pharmacy: of('Online pharmacy', 'Онлайн-аптека', 'Онлайн дәріхана', 'Онлайн-аптека'),
  unnamed_service: of('Unnamed service', 'Невідомий сервіс', 'Атаусыз сервис', 'Неизвестный сервис'),
  lending_contract: of('Lending contract', 'Контракт кредитування', 'Несие беру келісімшарты', 'Контракт кредитования'),
  protocol_privacy: of('Privacy protocol', 'Протокол приватності', 'Құпиялық протоколы', 'Протокол приватности'),
  special_measures: of('Special measures', 'Особливі заходи', 'Арнайы шаралар', 'Особые меры'),
  illicit_actor_org: of('Illicit organisation', 'Злочинна організація', 'Қылмыстық ұйым', 'Преступная организация'),
  merchant_services: of(
    'Merchant services',
    'Послуги для продавців',
    'Сатушыларға арналған қызметтер',
    'Услуги для продавцов',
  ),
  child_exploitation: of('Child exploitation', 'Експлуатація дітей', 'Балаларды қанау', 'Эксплуатация детей'),
  enforcement_action: of('Enforcement action', 'Заходи правоохоронців', 'Құқық қорғау шарасы', 'Меры правоохранителей'),
  exchange_fraudulent: of('Fraudulent exchange', 'Шахрайська біржа', 'Алаяқ биржа', 'Мошенническая биржа'),
  exchange_mlrisk_low: of('Exchange, low risk', 'Біржа, низький ризик', 'Биржа, төмен тәуекел', 'Биржа, низкий риск'),
  terrorism_financing: of(
    'Financing of terrorism',
    'Фінансування тероризму',
    'Терроризмді қаржыландыру',
    'Финансирование терроризма',
  ),
  exchange_mlrisk_high: of(
    'Exchange, high risk',
    'Біржа, високий ризик',
    'Биржа, жоғары тәуекел',
    'Биржа, высокий риск',
  ),
  token_smart_contract: of(
    'Smart contract of a token',
    'Смартконтракт токена',
    'Токеннің смарт-келісімшарты',
    'Смарт-контракт токена',
  ),
  high_risk_jurisdiction: of(
    'High-risk jurisdiction',
    'Юрисдикція з високим ризиком',
    'Тәуекелі жоғары юрисдикция',
    'Юрисдикция с высоким риском',
  ),
  nft_platform_collection: of(
    'NFT platform or collection',
    'NFT-платформа чи колекція',
    'NFT платформасы не топтамасы',
    'NFT-платформа или коллекция',
  ),
  p2p_exchange_mlrisk_low: of(
    'P2P exchange, low risk',
    'P2P-біржа, низький ризик',
    'P2P-биржа, төмен тәуекел',
    'P2P-биржа, низкий риск',
  ),
  exchange_mlrisk_moderate: of(
    'Exchange, moderate risk',
    'Біржа, помірний ризик',
    'Биржа, орташа тәуекел',
    'Биржа, умеренный риск',
  ),
  exchange_mlrisk_veryhigh: of(
    'Exchange, very high risk',
    'Біржа, дуже високий ризик',
    'Биржа, өте жоғары тәуекел',
    'Биржа, очень высокий риск',
  ),
  p2p_exchange_mlrisk_high: of(
    'P2P exchange, high risk',
    'P2P-біржа, високий ризик',
    'P2P-биржа, жоғары тәуекел',
    'P2P-биржа, высокий риск',
  ),
  infrastructure_as_a_service: of(
    'Infrastructure as a service',
    'Інфраструктура як послуга',
    'Қызмет ретіндегі инфрақұрылым',
    'Инфраструктура как услуга',
  ),
  decentralized_exchange_contract: of(
    'Contract of a decentralised exchange',
    'Контракт децентралізованої біржі',
    'Орталықсыз биржаның келісімшарты',
    'Контракт децентрализованной биржи',
  ),
}

/** A signal in words, with its name in notifications; only the name, if this build does not know it. */
export const wordsOfSignal = (name: string, language: Language): string => {
  const words = Object.hasOwn(WORDS, name) ? WORDS[name as SignalKey] : undefined
  return words ? `${words[language]} (${name})` : showText(name, 64)
}
