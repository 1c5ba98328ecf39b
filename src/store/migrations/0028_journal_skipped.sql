-- Number of invalid features that the load of a change has skipped, or will skip as planned.
alter table journal_change add column bad_count integer not null default 0;
