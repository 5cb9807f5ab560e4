-- From when on the acquirer may have a refund: it is sent once, and only asked about afterwards.
alter table payment_refunds add column sent_at timestamptz;
update payment_refunds set sent_at = updated_at where state = 'asked';
alter table payment_refunds add constraint payment_refunds_sent_check check (state <> 'asked' or sent_at is not null);
