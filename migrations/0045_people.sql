-- In which language the dashboard writes dates and numbers for a person; null: that of the texts.
alter table users add column locale text;

-- Who made an invitation or a link for a new password, as the person it is for should read it; null: nobody who signed in.
alter table one_time_links add column created_by text;
