-- outside a transaction
-- Objects of a merchant whose notifications fail: pages count them without reading those that only wait.
create index concurrently if not exists event_streams_failing on event_streams (merchant_id)
  where own_lane and (attempts > 0 or state = 'exhausted');
