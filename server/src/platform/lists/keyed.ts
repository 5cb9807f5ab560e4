/** A page of all rows of a merchant in the order of their ids, for a reader of every row. */
export interface KeyedPage {
  /** the id of the last row of the page before it; LEAST_ID: the first page */
  after: string
  /** only rows that were created before this time */
  before: Date
  /** the most rows; a page that has fewer is the last */
  limit: number
}
