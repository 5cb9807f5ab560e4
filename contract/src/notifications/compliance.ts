import { Type } from 'typebox'
import type { TInteger } from 'typebox'
import { milliseconds } from '../fields.ts'

/** The 47 counters of a screening report (`contract.md` 6.1). */
export const signalKeys = [
  'atm',
  'ico',
  'scam',
  'miner',
  'mixer',
  'other',
  'bridge',
  'ransom',
  'wallet',
  'malware',
  'payment',
  'exchange',
  'gambling',
  'sanctions',
  'fraud_shop',
  'dark_market',
  'marketplace',
  'dark_service',
  'p2p_exchange',
  'stolen_coins',
  'seized_assets',
  'risky_exchange',
  'smart_contract',
  'illegal_service',
  'liquidity_pools',
  'online_pharmacy',
  'unnamed_service',
  'lending_contract',
  'protocol_privacy',
  'special_measures',
  'illicit_actor_org',
  'merchant_services',
  'child_exploitation',
  'enforcement_action',
  'exchange_fraudulent',
  'exchange_mlrisk_low',
  'terrorism_financing',
  'exchange_mlrisk_high',
  'token_smart_contract',
  'high_risk_jurisdiction',
  'nft_platform_collection',
  'p2p_exchange_mlrisk_low',
  'exchange_mlrisk_moderate',
  'exchange_mlrisk_veryhigh',
  'p2p_exchange_mlrisk_high',
  'infrastructure_as_a_service',
  'decentralized_exchange_contract',
] as const

/** The 19 of these counters that indicate danger. */
export const dangerSignalKeys = [
  'scam',
  'mixer',
  'ransom',
  'malware',
  'gambling',
  'sanctions',
  'fraud_shop',
  'dark_market',
  'dark_service',
  'stolen_coins',
  'illegal_service',
  'online_pharmacy',
  'special_measures',
  'illicit_actor_org',
  'child_exploitation',
  'enforcement_action',
  'exchange_fraudulent',
  'terrorism_financing',
  'high_risk_jurisdiction',
] as const

const counters = <Key extends string>(keys: readonly Key[], title: string, description: string) =>
  Type.Object(Object.fromEntries(keys.map((key) => [key, Type.Integer({ minimum: 0 })])) as { [K in Key]: TInteger }, {
    title,
    description,
    additionalProperties: false,
  })

const zeros = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, 0]))

export const complianceExample = {
  url: 'https://pay.example/compliance/8c12e071-cd00-439d-90c0-74a8c2f96da2.pdf',
  signals: { ...zeros(signalKeys), exchange: 1 },
  riskScore: 0.1,
  timestamp: 1677486743000,
  dangerSignals: zeros(dangerSignalKeys),
  risky: false,
}

/** `contract.md` 6.1: part of `Verified` deposit notifications, and the response of the two compliance lookups. */
export const Compliance = Type.Object(
  {
    url: Type.String({ description: 'Report as PDF' }),
    signals: counters(signalKeys, 'ComplianceSignals', 'Counters of the sources of the money'),
    riskScore: Type.Number({ description: 'Risk score of the provider' }),
    timestamp: milliseconds('When the report was made'),
    dangerSignals: counters(dangerSignalKeys, 'ComplianceDangerSignals', 'Counters of the dangerous among them'),
    risky: Type.Boolean({ description: 'The merchant is advised not to trust this money' }),
  },
  {
    title: 'Compliance',
    description: 'Screening report',
    additionalProperties: false,
    examples: [complianceExample],
  },
)
