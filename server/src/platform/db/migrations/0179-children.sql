-- The unconfirmed transaction that a transaction of ours pays for, and when it was given up because that one was mined without it. Its bytes may still be
-- somewhere: it stays until a final block holds it or another transaction that spends its coins.
alter table outgoing add column pays_for text, add column dropped_at timestamptz;
