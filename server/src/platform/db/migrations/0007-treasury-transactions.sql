-- What a chain transaction of ours is for. `sweep` brings deposits to the hot wallet, `gas` gives an address what its own
-- transfer costs, `consolidation` joins small coins, `resources` stakes, lends or activates on TRON, `cold` leaves for the
-- operator's cold address.
alter table outgoing drop constraint outgoing_purpose_check;
alter table outgoing add constraint outgoing_purpose_check
  check (purpose in ('payout', 'filler', 'sweep', 'gas', 'consolidation', 'resources', 'cold'));

-- TRON: after this no node takes the attempt any more.
alter table outgoing_attempts add column expires_at timestamptz;
