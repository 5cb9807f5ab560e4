-- An acquirer called about a payment that had ended and said something else: it is asked about until it confirms that, for two weeks.
alter table payments add column called_at timestamptz;
-- Money went back and the acquirer doesn't say how much: what of it is held until a person or a statement says.
alter table payments add column dispute_hold_id uuid;
alter table payments add column dispute_units numeric(78, 0);
alter table payments add constraint payments_dispute_check check (state <> 'disputed' or (dispute_hold_id is not null and dispute_units is not null));
