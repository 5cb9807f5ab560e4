-- What is open about the received money of a merchant is inherited by what it sends to another merchant of the installation.
create index withdrawals_internal on withdrawals (id) where internal;
create index screenings_open on screenings (merchant_id, created_at) where kind = 'deposit' and state in ('asked', 'unanswered', 'risky');

-- What waits for a judgement is judged by that rule too.
update screenings s set subject = s.subject || jsonb_build_object('internal', d.transaction)
  from deposits d where d.merchant_id = s.merchant_id and d.id = s.subject_id and d.internal
    and s.kind = 'deposit' and s.state in ('asked', 'unanswered');
