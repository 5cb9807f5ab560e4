-- Alerts are sent to people and monitoring systems. One worker at a time sends to a receiver, and remembers the alerts
-- that the receiver has got, so that each is sent once, repeated after some hours, and reported when it ends.
create table alert_receivers (
  -- such as `mail ops@example.com`
  name text primary key,
  leased_until timestamptz not null default '-infinity',
  -- null while the last delivery succeeded
  failing_since timestamptz,
  failure text
);
create table alert_notices (
  receiver text not null references alert_receivers on delete cascade,
  alert_id uuid not null references alerts,
  sent_at timestamptz not null,
  primary key (receiver, alert_id)
);
