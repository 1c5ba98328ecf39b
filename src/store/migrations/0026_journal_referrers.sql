-- Resources that lose references to resources which a change deletes, as they were before it.
alter table journal_change add column referrers jsonb;
