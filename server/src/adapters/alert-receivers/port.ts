/** An alert as receivers see it. */
export interface ReceivedAlert {
  id: string
  kind: string
  severity: 'critical' | 'warning'
  /** the affected asset, transaction, merchant or other object */
  subject: string
  /** says what to do */
  text: string
  /** the page of the handbook, such as `docs/operating/recovery.md`; null where the text says all */
  page: string | null
  raisedAt: Date
  /** null while it is open */
  endedAt: Date | null
  isRepeated: boolean
}

export interface AlertReceiver {
  /** unique, without secrets, such as `mail ops@example.com` */
  name: string
  /** @param at the time of sending */
  send(alerts: readonly ReceivedAlert[], at: Date): Promise<void>
}
