-- A payout that is part of something larger is told in that one's words: {kind, objectId, body}.
alter table card_payouts add column told_as jsonb;
