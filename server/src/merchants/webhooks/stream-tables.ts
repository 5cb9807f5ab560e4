/** The tables of deliveries to one kind of receiver. */
export interface StreamTables {
  streams: 'event_streams' | 'endpoint_streams'
  attempts: 'event_attempts' | 'endpoint_attempts'
  /** the column that names the receiver in both */
  receiver: 'merchant_id' | 'endpoint_id'
}

/** Deliveries to the endpoint of a merchant's settings: the merchant is the receiver. */
export const OF_MERCHANTS: StreamTables = {
  streams: 'event_streams',
  attempts: 'event_attempts',
  receiver: 'merchant_id',
}

/** Deliveries to additional endpoints. */
export const OF_ENDPOINTS: StreamTables = {
  streams: 'endpoint_streams',
  attempts: 'endpoint_attempts',
  receiver: 'endpoint_id',
}
