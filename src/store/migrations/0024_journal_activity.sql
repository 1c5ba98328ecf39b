-- When an apply last did something: one that was lost is told from a running one by later applies of its manifest.
alter table journal_entry add column active_at timestamp not null default (now() at time zone 'utc');
update journal_entry set active_at = coalesce(ended_at, began_at);
create index journal_entry_manifest on journal_entry (manifest, id);
