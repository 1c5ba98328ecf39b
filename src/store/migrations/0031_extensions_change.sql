-- Updates of a resource that write descriptions and attachments of features change no data: they have their own row.
alter table last_change drop constraint last_change_part_check;
alter table last_change add constraint last_change_part_check check (part in ('resource', 'data', 'extensions'));
