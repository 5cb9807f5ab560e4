/**
 * One way in which a real node or counterparty behaves. A test double that behaves so names the row in a comment (`row
 * T-17`), with the source; a test that shows Bursar's reaction names the row in its title (`row T-17`).
 */
export interface DialectRow {
  /**
   * a letter (E Ethereum and BSC, T TRON, B Bitcoin, A acquirers, S screening, V the venue, R rates) and a number,
   * which never changes
   */
  id: string
  behaviour: string
  /** clients, versions and settings that behave so */
  who: string
  /** file, document or measurement that the row rests on */
  source: string
  /** the required behaviour of the adapter */
  adapter: string
  /**
   * why the row has no test, or which part does not hold although it has one; without it, a row with a test holds and a
   * row without one is open
   */
  verdict?: string
}
