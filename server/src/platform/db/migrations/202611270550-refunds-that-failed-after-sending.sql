-- A refund that was sent may still fail: its block was lost, and the transaction was mined again without effect. Then its
-- claim waits for its merchant again.
drop trigger refund_claims_ended on refund_claims;
create trigger refund_claims_ended before update on refund_claims for each row
  when (old.state = 'refused' or (old.state = 'sent' and new.state <> 'failed')
    or (new.merchant_id, new.id, new.invoice_id, new.refund_address, new.requested_at)
    is distinct from (old.merchant_id, old.id, old.invoice_id, old.refund_address, old.requested_at))
  execute function refuse_change();
