-- Until then the acquirer is asked each day about a booked payment: a refund of it ended by a refusal or by a person's word, and may show all the same. Null: not so.
alter table payments add column watched_until timestamptz;
