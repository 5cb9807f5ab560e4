-- What the signer knows a payment as. Null: by the withdrawal's own id, as before this column.
alter table withdrawals add column intent_id uuid;
-- Why the signer signs nothing for it: `signed` when it has signed for this intent and these books do not know the transaction, `closed` when
-- the intent was closed with nothing signed. Null: nothing is known against it.
alter table withdrawals add column barred text check (barred in ('signed', 'closed'));
create index withdrawals_barred on withdrawals (merchant_id, id) where barred is not null and state = 'requested';
-- It was refused together with others: it is paid by a transaction of its own.
alter table withdrawals add column alone boolean not null default false;

-- Nonces that hot addresses took for a transaction which was never signed: the next payment takes the lowest of them.
create table free_nonces (
  network text not null,
  address text not null,
  nonce bigint not null,
  -- the signer has signed it for a transaction that these books do not know: no payment takes it
  contested boolean not null default false,
  since timestamptz not null,
  primary key (network, address, nonce)
);
insert into free_nonces(network, address, nonce, since)
select a.network, a.senders[1], a.nonce, max(a.updated_at)
from outgoing a join hot_wallets h on h.network = a.network and h.address = a.senders[1] and a.nonce < h.next_nonce
where a.state = 'abandoned'
  and not exists (select from outgoing b where b.network = a.network and b.senders[1] = a.senders[1] and b.nonce = a.nonce and b.state <> 'abandoned')
group by a.network, a.senders[1], a.nonce;
