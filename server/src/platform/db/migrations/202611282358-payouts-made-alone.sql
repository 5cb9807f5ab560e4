-- Whether a line counts in the sum that members may pay alone: it lacked approvals of its rule when it was approved.
-- null: approved by a build before, and counted by whether its request has any approval.
alter table payout_lines add column alone boolean;

-- What was refunded of a card payment when its refund was requested, in minor units. null: no refund of a card.
alter table payout_requests add column refunded_before numeric(78, 0);
