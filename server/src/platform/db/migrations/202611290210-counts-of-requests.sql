-- How often each key of a merchant called each operation of the API, by hour of the real clock. Each process of the api
-- adds its counts once a minute; the worker deletes rows after eight days.
create table request_counts (
  merchant_id uuid not null,
  hour timestamptz not null,
  key_id uuid not null,
  operation text not null,
  requests bigint not null,
  -- answered with a status of 400 or higher
  refused bigint not null,
  total_ms bigint not null,
  slowest_ms integer not null,
  primary key (merchant_id, hour, key_id, operation)
);
create index request_counts_age on request_counts using brin (hour);
