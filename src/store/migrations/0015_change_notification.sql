-- Tells every process on commit that what it remembers of resources, permissions and layers may be outdated.
create function announce_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('landform_change', tg_table_schema);
  return null;
end $$;

create trigger announce_change after insert or update or delete on resource
  for each statement execute function announce_change();
create trigger announce_change after update on permission_epoch
  for each statement execute function announce_change();
create trigger announce_change after insert or update or delete on layer
  for each statement execute function announce_change();
create trigger announce_change after insert or update or delete on layer_field
  for each statement execute function announce_change();
create trigger announce_change after insert or update or delete on geodb_layer
  for each statement execute function announce_change();
create trigger announce_change after insert or update or delete on resource_connection
  for each statement execute function announce_change();
