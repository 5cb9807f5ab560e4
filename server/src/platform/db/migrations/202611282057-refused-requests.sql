-- Requests to the API that were refused, so that developers of a merchant can find the reason. A process of the api
-- inserts some of them every few seconds; the worker deletes old ones, and all but the newest of a merchant.
create table refused_requests (
  merchant_id uuid not null,
  -- real clock
  at timestamptz not null,
  request_id text not null,
  -- null: neither the main key nor an additional key has signed it, so that anyone may have sent it
  key_id uuid,
  method text not null,
  -- without the query
  path text not null,
  operation text not null,
  status smallint not null,
  code integer not null,
  reason text not null,
  -- network address of the client
  sent_from text not null,
  primary key (merchant_id, at, request_id)
);
create index refused_requests_age on refused_requests using brin (at);
