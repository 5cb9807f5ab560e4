-- Every request has one of the kinds.
alter table payout_requests validate constraint payout_requests_kind_check;
