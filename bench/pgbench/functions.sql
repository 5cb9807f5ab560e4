-- The limit: what accepting a withdrawal writes, made by the server from nothing, so that what remains is the cost of
-- PostgreSQL itself. Accounts 1 to 1000 are those of the merchants.
create sequence bench_numbers cache 64;

-- One posting a call.
create function bench_accept(p_account bigint, p_n bigint) returns boolean language plpgsql as $$
declare
  v_id uuid := uuidv7();
  v_hold uuid := uuidv7();
  v_at timestamptz := clock_timestamp();
begin
  with a as (update ledger_accounts set held = held + 1600000, version = version + 1
      where id = p_account and posted - held >= 1600000 returning merchant_id, version, posted, held),
    t as (insert into ledger_transfers(merchant_id, id, kind, cause_kind, cause_id, created_at)
      select merchant_id, v_hold, 'hold', 'withdrawal', v_id, v_at from a),
    l as (insert into local_ids(merchant_id, local_id, operation, object_id)
      select merchant_id, 'limit-' || p_n, 'createCryptoWithdrawal', v_id from a),
    r as (insert into request_answers(merchant_id, key, fingerprint, status, body, created_at)
      select merchant_id, 'sig:' || md5(p_n::text) || md5((-p_n)::text), md5(p_n::text) || '01234567890', 200,
        '{"id":"' || v_id || '"}', v_at from a),
    e as (insert into ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after)
      select p_account, version, v_hold, 0, 1600000, posted, held from a)
  insert into withdrawals(merchant_id, id, ticker, blockchain, to_address, units, fee_units, local_id, meta, state, internal,
      hold_id, not_before, created_at, updated_at)
    select merchant_id, v_id, 'USDT', 'ETHEREUM', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 1500000, 100000,
      'limit-' || p_n, 'customer ' || p_n, 'requested', false, v_hold, v_at, v_at, v_at from a;
  return found;
end $$;

-- A batch in one statement: 64 accounts next to each other, one posting each.
create function bench_accept_batch(p_first bigint, p_n bigint) returns void language plpgsql as $$
declare
  v_at timestamptz := clock_timestamp();
begin
  with item as materialized (select p_first + i as account, p_n || '.' || i as n, uuidv7() as id, uuidv7() as hold
      from generate_series(0, 63) i),
    a as materialized (update ledger_accounts acc set held = held + 1600000, version = version + 1 from item
      where acc.id = item.account and posted - held >= 1600000
      returning acc.id as account, merchant_id, version, posted, held, item.n, item.id, item.hold),
    t as (insert into ledger_transfers(merchant_id, id, kind, cause_kind, cause_id, created_at)
      select merchant_id, hold, 'hold', 'withdrawal', id, v_at from a),
    l as (insert into local_ids(merchant_id, local_id, operation, object_id)
      select merchant_id, 'batch-' || n, 'createCryptoWithdrawal', id from a),
    r as (insert into request_answers(merchant_id, key, fingerprint, status, body, created_at)
      select merchant_id, 'sig:' || md5(n) || md5('-' || n), md5(n) || '01234567890', 200, '{"id":"' || id || '"}', v_at from a),
    e as (insert into ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after)
      select account, version, hold, 0, 1600000, posted, held from a)
  insert into withdrawals(merchant_id, id, ticker, blockchain, to_address, units, fee_units, local_id, meta, state, internal,
      hold_id, not_before, created_at, updated_at)
    select merchant_id, id, 'USDT', 'ETHEREUM', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 1500000, 100000,
      'batch-' || n, 'customer ' || n, 'requested', false, hold, v_at, v_at, v_at from a;
end $$;
