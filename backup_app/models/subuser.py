"""Subusers: logins of an account that see only the clients granted to them."""

from django.db import models

from ..conf import conf
from .client import Client


class Subuser(models.Model):
    account = models.ForeignKey(conf.user_model, models.CASCADE, related_name="backup_subusers")
    login = models.CharField(max_length=100, unique=True)
    first_name = models.CharField(max_length=100)
    last_name = models.CharField(max_length=100)
    email = models.EmailField("e-mail")
    password = models.CharField(max_length=128, editable=False)  # hashed; cannot log in while ""
    bmr = models.BooleanField(
        "bare metal restore", default=False, help_text="May restore whole machines."
    )
    created = models.DateTimeField(auto_now_add=True)
    clients = models.ManyToManyField(Client, through="Grant", related_name="subusers")

    class Meta:
        ordering = ["login"]

    def __str__(self):
        return self.login


class Grant(models.Model):
    """A subuser may see and restore a client."""

    subuser = models.ForeignKey(Subuser, models.CASCADE, related_name="grants")
    client = models.ForeignKey(Client, models.CASCADE, related_name="grants")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["subuser", "client"], name="grant_of_a_client")
        ]

    def __str__(self):
        return f"{self.subuser} → {self.client}"
