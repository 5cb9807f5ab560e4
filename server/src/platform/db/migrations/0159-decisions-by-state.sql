-- What was known when somebody decided: who agreed before something was found risky has not agreed to that. Null: decided before this
-- was kept.
alter table screening_decisions add column state text;
