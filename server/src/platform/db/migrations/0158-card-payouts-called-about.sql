-- An acquirer that called to say something else of an order than how it ended is asked until it confirms that.
alter table card_payout_attempts add column called_at timestamptz;
