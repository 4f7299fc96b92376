-- Messages that show a run at work can end it; large tables of a reply are files.

-- With a button that cancels the message's run, on platforms that have buttons.
alter table messages add column has_cancel boolean not null default false;

-- The name under which the part is sent as a file; null for a message.
alter table message_parts add column file text;
